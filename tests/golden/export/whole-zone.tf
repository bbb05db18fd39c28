# Written by zoneform export: what zoneform tracks, for the Cloudflare provider 5. Import blocks need Terraform 1.5.
# Let only one of the two tools write: take the objects out of zoneform's state once Terraform has them.

resource "cloudflare_certificate_pack" "saas_net__wildcard_saas_net_saas_net_960b0423" {
  zone_id               = "023e105f4ecef8ad9ca31a8372d0c353"
  type                  = "advanced"
  hosts                 = ["*.saas.net", "saas.net"]
  validation_method     = "txt"
  validity_days         = 90
  certificate_authority = "google"
  cloudflare_branding   = false

  lifecycle {
    create_before_destroy = true
  }
}

import {
  to = cloudflare_certificate_pack.saas_net__wildcard_saas_net_saas_net_960b0423
  id = "023e105f4ecef8ad9ca31a8372d0c353/d62cde0e-46d8-4811-b6a0-2a455b26d9c5"
}

resource "cloudflare_certificate_pack" "saas_net__saas_net_www_saas_net_8b2de58b" {
  zone_id               = "023e105f4ecef8ad9ca31a8372d0c353"
  type                  = "advanced"
  hosts                 = ["saas.net", "www.saas.net"]
  validation_method     = "http"
  validity_days         = 90
  certificate_authority = "lets_encrypt"
  cloudflare_branding   = true

  lifecycle {
    create_before_destroy = true
    # Cloudflare does not show these as they were sent. Take one out to have Terraform send it.
    ignore_changes = [hosts]
  }
}

import {
  to = cloudflare_certificate_pack.saas_net__saas_net_www_saas_net_8b2de58b
  id = "023e105f4ecef8ad9ca31a8372d0c353/cea5f654-1672-4d8b-919b-abb24eed516a"
}

resource "cloudflare_custom_hostname" "saas_net__wildcard_wild_customer_net_b191b49a" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "*.wild.customer.net"
  ssl = {
    method                = "txt"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__wildcard_wild_customer_net_b191b49a
  id = "023e105f4ecef8ad9ca31a8372d0c353/75f15c27-f578-42ea-a103-f652f8cc1a24"
}

resource "cloudflare_custom_hostname" "saas_net__aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
    cloudflare_branding   = true
  }

  lifecycle {
    # Cloudflare does not show these as they were sent. Take one out to have Terraform send it.
    ignore_changes = [ssl.cloudflare_branding]
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/932d277b-9edc-462e-bd6c-22978bc91e40"
}

resource "cloudflare_custom_hostname" "saas_net__covers_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "covers.customer.net"
  ssl = {
    method                = "txt"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = true
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__covers_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/9de72106-a73e-4a3d-87e7-d1c3da091265"
}

resource "cloudflare_custom_hostname" "saas_net__default_ca_customer_net_05ff11e4" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "default-ca.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__default_ca_customer_net_05ff11e4
  id = "023e105f4ecef8ad9ca31a8372d0c353/67d94d46-2345-4b1e-8016-c7832ed2a093"
}

resource "cloudflare_custom_hostname" "saas_net__metadata_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "metadata.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
  custom_metadata = {
    on             = "off"
    no             = "yes"
    y              = "n"
    NO             = "On"
    "null"         = "~"
    "1:30"         = "12:30:45"
    "1_000"        = "0b101"
    "0o17"         = "017"
    "2026-11-22"   = "2026-11-22T06:00:00Z"
    "<<"           = "="
    ".inf"         = "-.INF"
    "1e3"          = "+1"
    "needs quotes" = "$${a} %%{b} \"c\" \\d"
    "for"          = "# no comment: x"
    "!tag"         = "&anchor *alias"
    lines          = "one\ntwo\n\n three\t"
    separators     = "a\u0085b\u2028c\u2029d"
    beyond         = "äß漢字😀"
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__metadata_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/fc1b86a4-d5e5-4def-889f-3d33cc3a38ce"
}

resource "cloudflare_custom_hostname" "saas_net__named_ca_customer_net_6698eebd" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "named-ca.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "lets_encrypt"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__named_ca_customer_net_6698eebd
  id = "023e105f4ecef8ad9ca31a8372d0c353/0fe7d4c9-8074-4422-bd02-81e1636bf5f5"
}

resource "cloudflare_custom_hostname" "saas_net__origin_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "origin.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
  custom_origin_server = "origin1.saas.net"
  custom_origin_sni    = "origin1.saas.net"
}

import {
  to = cloudflare_custom_hostname.saas_net__origin_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/1f7945b9-6dbe-4c41-a8cd-975564197f4f"
}

resource "cloudflare_custom_hostname" "saas_net__own_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "own.customer.net"
  ssl = {
    method        = "http"
    type          = "dv"
    bundle_method = "ubiquitous"
    wildcard      = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__own_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/b5b8eefd-1138-4642-b552-c91bf0bedad9"
}

resource "cloudflare_custom_hostname" "saas_net__settings_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "settings.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "optimal"
    settings = {
      min_tls_version = "1.2"
      http2           = "on"
      tls_1_3         = "off"
      early_hints     = "on"
      ciphers         = ["AES128-SHA"]
    }
    wildcard = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__settings_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/3b246ee4-c2a6-40b5-ad6e-167d1fafe67d"
}

resource "cloudflare_custom_hostname" "saas_net__unset_ca_customer_net_4abcbdef" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "unset-ca.customer.net"
  ssl = {
    method                = "http"
    type                  = "dv"
    certificate_authority = "google"
    bundle_method         = "ubiquitous"
    wildcard              = false
  }
}

import {
  to = cloudflare_custom_hostname.saas_net__unset_ca_customer_net_4abcbdef
  id = "023e105f4ecef8ad9ca31a8372d0c353/442beb82-c055-4cb4-8492-c217f742a634"
}

resource "cloudflare_custom_hostname" "saas_net__without_customer_net" {
  zone_id  = "023e105f4ecef8ad9ca31a8372d0c353"
  hostname = "without.customer.net"
}

import {
  to = cloudflare_custom_hostname.saas_net__without_customer_net
  id = "023e105f4ecef8ad9ca31a8372d0c353/1273089b-68bf-4ec0-a522-405155b937d2"
}

resource "cloudflare_custom_hostname_fallback_origin" "saas_net" {
  zone_id = "023e105f4ecef8ad9ca31a8372d0c353"
  origin  = "fallback.saas.net"
}

import {
  to = cloudflare_custom_hostname_fallback_origin.saas_net
  id = "023e105f4ecef8ad9ca31a8372d0c353"
}

resource "cloudflare_ruleset" "saas_net__ddos_l4" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: ddos_l4"
  kind        = "zone"
  phase       = "ddos_l4"
  description = "on"
  rules = [
    {
      ref        = "l4"
      action     = "execute"
      expression = "true"
      enabled    = true
      action_parameters = {
        id = "3b64149bfa6e4220bbbc2bd6db589552"
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__ddos_l4
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/77196bcc075e6219d60aa32895d0ed91"
}

resource "cloudflare_ruleset" "saas_net__ddos_l7" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: ddos_l7"
  kind        = "zone"
  phase       = "ddos_l7"
  description = "on"
  rules = [
    {
      ref        = "l7"
      action     = "execute"
      expression = "true"
      enabled    = true
      action_parameters = {
        id = "4d21379b4f9f4bb088e0729962c8b3cf"
        overrides = {
          sensitivity_level = "low"
          action            = "block"
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__ddos_l7
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/8bd69916f8e5bc8ce7282cf5de93fe92"
}

resource "cloudflare_ruleset" "saas_net__http_config_settings" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_config_settings"
  kind        = "zone"
  phase       = "http_config_settings"
  description = "on"
  rules = [
    {
      ref        = "1657303127414442194f17fef0b69c45"
      action     = "set_config"
      expression = "true"
      enabled    = true
      action_parameters = {
        ssl            = "full"
        polish         = "off"
        security_level = "high"
        bic            = true
        rocket_loader  = false
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_config_settings
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/fcc9fcbaa48871dd1d730f5a1f5ec074"
}

resource "cloudflare_ruleset" "saas_net__http_custom_errors" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_custom_errors"
  kind        = "zone"
  phase       = "http_custom_errors"
  description = "on"
  rules = [
    {
      ref        = "389c92f15504b7ab2cb13d1d8a640a14"
      action     = "serve_error"
      expression = "true"
      enabled    = true
      action_parameters = {
        content      = "<html>no</html>"
        content_type = "text/html"
        status_code  = 530
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_custom_errors
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/6fd9df989fb47e7cf5b8df3deada4a2d"
}

resource "cloudflare_ruleset" "saas_net__http_log_custom_fields" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_log_custom_fields"
  kind        = "zone"
  phase       = "http_log_custom_fields"
  description = "on"
  rules = [
    {
      ref        = "8ed2f824f8d4a06154db657d43b45aab"
      action     = "log_custom_field"
      expression = "true"
      enabled    = true
      action_parameters = {
        request_fields = [
          {
            name = "user-agent"
          },
        ]
        cookie_fields = [
          {
            name = "no"
          },
        ]
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_log_custom_fields
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/60cf15449603bf05b85d478c9f1a175a"
}

resource "cloudflare_ruleset" "saas_net__http_ratelimit" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_ratelimit"
  kind        = "zone"
  phase       = "http_ratelimit"
  description = "on"
  rules = [
    {
      ref         = "limit"
      description = "no more than this: 1:30"
      action      = "block"
      expression  = "http.request.uri.path matches \"^/\\\\d$${1}\""
      enabled     = true
      ratelimit = {
        characteristics     = ["cf.colo.id", "ip.src"]
        period              = 60
        requests_per_period = 100
        mitigation_timeout  = 600
        requests_to_origin  = false
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_ratelimit
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/a2dadc66b1a32606aa37799573ae78ba"
}

resource "cloudflare_ruleset" "saas_net__http_request_cache_settings" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_cache_settings"
  kind        = "zone"
  phase       = "http_request_cache_settings"
  description = "on"
  rules = [
    {
      ref        = "keys"
      action     = "set_cache_settings"
      expression = "true"
      enabled    = true
      action_parameters = {
        cache = true
        edge_ttl = {
          mode    = "override_origin"
          default = 60
          status_code_ttl = [
            {
              status_code_range = {
                from = 200
                to   = 299
              }
              value = 30
            },
          ]
        }
        cache_key = {
          ignore_query_strings_order = true
          custom_key = {
            query_string = {
              exclude = {
                list = ["utm_source"]
              }
            }
            header = {
              include        = ["accept"]
              check_presence = ["no"]
            }
            cookie = {
              include = ["on"]
            }
            user = {
              device_type = true
              geo         = false
            }
            host = {
              resolved = true
            }
          }
        }
      }
    },
    {
      ref        = "5ccee962c6c83f582b6aebba28831100"
      action     = "set_cache_settings"
      expression = "true"
      enabled    = true
      action_parameters = {
        cache = true
        cache_key = {
          custom_key = {
            query_string = {
              include = {
                list = ["a", "b"]
              }
            }
          }
        }
      }
    },
    {
      ref        = "dbb445d93f08f5a3bdbb939c0a4ee29a"
      action     = "set_cache_settings"
      expression = "true"
      enabled    = true
      action_parameters = {
        cache = true
        cache_key = {
          custom_key = {
            query_string = {
              include = {
                all = true
              }
            }
          }
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_cache_settings
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/70159aa620ffa2e14b06ebecb25ee9c1"
}

resource "cloudflare_ruleset" "saas_net__http_request_dynamic_redirect" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_dynamic_redirect"
  kind        = "zone"
  phase       = "http_request_dynamic_redirect"
  description = "on"
  rules = [
    {
      ref        = "6518a00725b21429fa5e3f57fd41f172"
      action     = "redirect"
      expression = "true"
      enabled    = true
      action_parameters = {
        from_value = {
          status_code = 301
          target_url = {
            expression = "\"https://a\""
          }
          preserve_query_string = true
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_dynamic_redirect
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/365731d7ea4004e7eaf4d34038ac41fd"
}

resource "cloudflare_ruleset" "saas_net__http_request_firewall_custom" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_firewall_custom"
  kind        = "zone"
  phase       = "http_request_firewall_custom"
  description = "on"
  rules = [
    {
      ref        = "deny"
      action     = "block"
      expression = "ip.src eq 192.0.2.1 and http.host ne \"on\""
      enabled    = true
      action_parameters = {
        response = {
          status_code  = 403
          content      = "no"
          content_type = "text/plain"
        }
      }
    },
    {
      ref        = "pass"
      action     = "skip"
      expression = "true"
      enabled    = true
      action_parameters = {
        phases   = ["http_ratelimit"]
        products = ["waf", "bic"]
      }
      logging = {
        enabled = false
      }
    },
    {
      ref         = "a473eff8866c83e9dee0df831b951af0"
      description = "off"
      action      = "managed_challenge"
      expression  = "cf.threat_score gt 10"
      enabled     = false
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_firewall_custom
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/98aaa69da320917671bb0afffef8a9f8"
}

resource "cloudflare_ruleset" "saas_net__http_request_firewall_managed" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_firewall_managed"
  kind        = "zone"
  phase       = "http_request_firewall_managed"
  description = "on"
  rules = [
    {
      ref        = "skip"
      action     = "skip"
      expression = "true"
      enabled    = true
      action_parameters = {
        rules = {
          efb7b8c949ac4650a09736fc376e9aee = ["23ee7cebe6e8443e99ecf932ab579455"]
        }
      }
      logging = {
        enabled = true
      }
    },
    {
      ref        = "managed"
      action     = "execute"
      expression = "true"
      enabled    = true
      action_parameters = {
        id = "efb7b8c949ac4650a09736fc376e9aee"
        matched_data = {
          public_key = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8="
        }
        overrides = {
          categories = [
            {
              category = "wordpress"
              enabled  = false
            },
          ]
          rules = [
            {
              id      = "23ee7cebe6e8443e99ecf932ab579455"
              action  = "log"
              enabled = true
            },
          ]
        }
      }
    },
    {
      ref        = "owasp"
      action     = "execute"
      expression = "true"
      enabled    = true
      action_parameters = {
        id = "4814384a9e5d4991b9815dcfc25d2f1f"
        overrides = {
          rules = [
            {
              id              = "6179ae15870a4bb7b2d480d4843b323c"
              score_threshold = 40
            },
          ]
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_firewall_managed
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/4ee67b08a7df78fff0ac1fc821c6c79c"
}

resource "cloudflare_ruleset" "saas_net__http_request_late_transform" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_late_transform"
  kind        = "zone"
  phase       = "http_request_late_transform"
  description = "on"
  rules = [
    {
      ref        = "625703200dd1be1f9424610d31861792"
      action     = "rewrite"
      expression = "true"
      enabled    = true
      action_parameters = {
        headers = {
          "X-Yes" = {
            operation = "set"
            value     = "on"
          }
          no = {
            operation = "remove"
          }
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_late_transform
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/7af054e1fcba0346eb9564914809ef3c"
}

resource "cloudflare_ruleset" "saas_net__http_request_origin" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_origin"
  kind        = "zone"
  phase       = "http_request_origin"
  description = "on"
  rules = [
    {
      ref        = "9b7c8757b484675eeb374167b0c6a069"
      action     = "route"
      expression = "true"
      enabled    = true
      action_parameters = {
        host_header = "origin1.saas.net"
        origin = {
          port = 8443
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_origin
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/c064f8538a2b87d66a79a8d75a291946"
}

resource "cloudflare_ruleset" "saas_net__http_request_redirect" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_redirect"
  kind        = "zone"
  phase       = "http_request_redirect"
  description = "on"
  rules = [
    {
      ref        = "998e604923f51d8ec0d81281db173c8b"
      action     = "redirect"
      expression = "true"
      enabled    = true
      action_parameters = {
        from_list = {
          name = "no"
          key  = "http.request.full_uri"
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_redirect
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/4d631ccdefc74eb9351beafbdd908683"
}

resource "cloudflare_ruleset" "saas_net__http_request_transform" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_request_transform"
  kind        = "zone"
  phase       = "http_request_transform"
  description = "on"
  rules = [
    {
      ref        = "934907f8d263f2fe694ef99bc5eb58b8"
      action     = "rewrite"
      expression = "true"
      enabled    = true
      action_parameters = {
        uri = {
          path = {
            value = "/no"
          }
          query = {
            expression = "concat(\"a=\", http.host)"
          }
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_request_transform
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/074705e0ea9c3871aadf4157643bcd05"
}

resource "cloudflare_ruleset" "saas_net__http_response_cache_settings" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_response_cache_settings"
  kind        = "zone"
  phase       = "http_response_cache_settings"
  description = "on"
  rules = [
    {
      ref        = "cab367fdc92323065de5e8756c184991"
      action     = "set_cache_control"
      expression = "true"
      enabled    = true
      action_parameters = {
        max_age = {
          operation = "set"
          value     = 60
        }
        no_store = {
          operation = "remove"
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_response_cache_settings
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/85f99631de84f22054d559594550faa0"
}

resource "cloudflare_ruleset" "saas_net__http_response_compression" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_response_compression"
  kind        = "zone"
  phase       = "http_response_compression"
  description = "on"
  rules = [
    {
      ref        = "d547e6d346acefd45bc478f45fdf6199"
      action     = "compress_response"
      expression = "true"
      enabled    = true
      action_parameters = {
        algorithms = [
          {
            name = "brotli"
          },
          {
            name = "auto"
          },
        ]
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_response_compression
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/c52a713f5f55a251fd6622c012e57acf"
}

resource "cloudflare_ruleset" "saas_net__http_response_firewall_managed" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_response_firewall_managed"
  kind        = "zone"
  phase       = "http_response_firewall_managed"
  description = "on"
  rules = [
    {
      ref        = "fd7552c5fafb4f6de4b8bb79155d9c12"
      action     = "execute"
      expression = "true"
      enabled    = false
      action_parameters = {
        id = "e22d83c647c64a3eae91b71b499d988e"
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_response_firewall_managed
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/38225a02969eca75d90c53c279779b47"
}

resource "cloudflare_ruleset" "saas_net__http_response_headers_transform" {
  zone_id     = "023e105f4ecef8ad9ca31a8372d0c353"
  name        = "zone entry point: http_response_headers_transform"
  kind        = "zone"
  phase       = "http_response_headers_transform"
  description = "on"
  rules = [
    {
      ref        = "512184240aae9d4b71471117b3436597"
      action     = "rewrite"
      expression = "true"
      enabled    = true
      action_parameters = {
        headers = {
          "x-host" = {
            operation  = "set"
            expression = "http.host"
          }
        }
      }
    },
  ]
}

import {
  to = cloudflare_ruleset.saas_net__http_response_headers_transform
  id = "zones/023e105f4ecef8ad9ca31a8372d0c353/2452415ad678c271df93bd252115c99d"
}

resource "cloudflare_total_tls" "saas_net" {
  zone_id               = "023e105f4ecef8ad9ca31a8372d0c353"
  enabled               = true
  certificate_authority = "google"
}

import {
  to = cloudflare_total_tls.saas_net
  id = "023e105f4ecef8ad9ca31a8372d0c353"
}

# saas.net/waf_migration: the provider has no resource for it.
