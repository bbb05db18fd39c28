import type { Shell } from "../flags.ts";

/**
 * The script of a shell. It calls `zoneform complete` at each Tab, so it stays the same when commands change. The
 * result is only data to it: nothing is evaluated, and values are quoted as the shell requires.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/**
 * `compgen -W` would run the contents of its words, so lines are read one by one. Bash has no descriptions: they follow
 * the values if several are listed, and are never inserted, because the values before them differ. Needs bash 4 for
 * files.
 */
const BASH = `# Completion of zoneform for bash. In ~/.bashrc: source <(zoneform completion bash)
_zoneform() {
  local line value files= index
  local -a values=() abouts=()
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      files=1
    else
      values+=("\${line%%$'\\t'*}")
      abouts+=("\${line#*$'\\t'}")
    fi
  done < <(zoneform complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for index in "\${!values[@]}"; do
    value=\${values[index]}
    case "\${COMP_WORDS[COMP_CWORD]}" in
      \\'*) ;;
      \\"*) value=\${value//\\"/\\\\\\"} ;;
      *) printf -v value %q "$value" ;;
    esac
    if [ "\${#values[@]}" -gt 1 ] && [ -n "\${abouts[index]}" ] && [ "$COMP_TYPE" != 37 ] && [ "$COMP_TYPE" != 42 ]; then
      value="$value  (\${abouts[index]})"
    fi
    COMPREPLY+=("$value")
  done
  [ -z "$files" ] || compopt -o default 2>/dev/null
  case "\${values[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
  compopt -o nosort 2>/dev/null
}
complete -F _zoneform zoneform
`;

/** In zsh, \`path\` and \`words\` are special: the one is never used here, the other only read. */
const ZSH = `#compdef zoneform
# Completion of zoneform for zsh. As _zoneform in a folder of $fpath, or in ~/.zshrc after compinit: source <(zoneform completion zsh)
_zoneform() {
  local line value files=
  local -a found items
  found=("\${(@f)$(zoneform complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in $found; do
    if [[ $line == :files ]]; then
      files=1
    else
      value="\${line%%$'\\t'*}"
      items+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  if (( $#items )); then
    if [[ $items[1] == *=:* ]]; then
      _describe -V zoneform items -S ''
    else
      _describe -V zoneform items
    fi
  fi
  [[ -z $files ]] || _files
}
if [[ $funcstack[1] == _zoneform ]]; then
  _zoneform "$@"
else
  compdef _zoneform zoneform
fi
`;

const FISH = `# Completion of zoneform for fish. As ~/.config/fish/completions/zoneform.fish, or: zoneform completion fish | source
function __zoneform_complete
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l current (commandline -ct)
    for line in (zoneform complete fish -- $typed "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c zoneform -e
complete -c zoneform -f -a "(__zoneform_complete)"
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
