# A policy for plans of Terraform and of Zoneform. For Terraform, plan.json is what terraform show -json prints; for
# Zoneform, write it with: zoneform plan --report terraform-json=plan.json
# Then: opa eval --fail-defined --data terraform-plan.rego --input plan.json 'data.terraform.plan.deny[message]'
package terraform.plan

import rego.v1

# How many resources one plan may delete.
most_deletions := 2

# Types of which nothing may be deleted.
kept_types := {"cloudflare_ruleset", "cloudflare_custom_hostname_fallback_origin", "cloudflare_zone_hold"}

# The certificate authorities that hostnames may name.
authorities := {"google", "ssl_com"}

deletions contains change.address if {
	some change in input.resource_changes
	"delete" in change.change.actions
}

deny contains message if {
	count(deletions) > most_deletions
	message := sprintf("%d resources would be deleted, %d are allowed", [count(deletions), most_deletions])
}

deny contains message if {
	some change in input.resource_changes
	change.type in kept_types
	"delete" in change.change.actions
	message := sprintf("%s may not be deleted", [change.address])
}

deny contains message if {
	some change in input.resource_changes
	authority := change.change.after.ssl.certificate_authority
	authority != ""
	not authority in authorities
	message := sprintf("%s may not use the certificate authority %s", [change.address, authority])
}

deny contains "the plan is incomplete: a part of it could not be made" if input.errored
