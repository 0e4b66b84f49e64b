import { type Completed, KEYS, optionsIn, quoted, type Table, takesFile } from "./words.ts";

/** The completion for zsh: to be sourced, or to be put into a directory of $fpath as _holdfast. */
export function zshScript(table: Table): string {
  const { commands, common } = table;
  const valued = optionsIn(table).filter(({ value }) => value !== undefined);
  const free = valued.filter(({ choices }) => choices === undefined);
  const names = (list: readonly { name: string }[]) =>
    list.map(({ name }) => `--${name}`).join("|");
  return `#compdef holdfast
# zsh completion for holdfast. Load it with: source <(holdfast completion zsh)
_holdfast() {
  local command= word opt_store=
  local -i at
  local -a commands options
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    if [[ $word == -- ]]; then
      # What follows is a command line of its own.
      shift $at words
      ((CURRENT -= at))
      _normal
      return
    fi
    [[ \${words[at - 1]} == --store ]] && opt_store=$word
    [[ $word == --store=* ]] && opt_store=\${word#--store=}
    case \${words[at - 1]} in
      (${names(valued)}) continue ;;
    esac
    case $word in
      (${commands.map(({ name }) => name).join("|")}) [[ -n $command ]] || command=$word ;;
    esac
  done
  case \${words[CURRENT - 1]} in
${valued
  .filter(({ choices }) => choices !== undefined)
  .map(({ name, choices }) => `    (--${name}) compadd -- ${choices?.join(" ")}; return ;;`)
  .join("\n")}
    (${names(free.filter(takesFile))}) _files; return ;;
    (${names(free.filter((option) => !takesFile(option)))}) return ;;
  esac
  options=(${described(common)})
  case $command in
    ('')
      commands=(${commands.map(({ name, summary }) => item(name, summary)).join(" ")})
      if [[ $PREFIX != -* ]]; then
        _describe -t commands command commands
        return
      fi
      ;;
${commands.map(caseOf).join("\n")}
  esac
  [[ $PREFIX == -* ]] && _describe -o option options
}
if [[ \${funcstack[1]} == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}

function caseOf({ name, options, words, takesPaths, takesKey }: Completed): string {
  const listed = words.length > 0 ? `compadd -- ${words.join(" ")}` : null;
  const offered = takesPaths ? "_files" : takesKey ? KEYS_OFFERED : listed;
  const arguments_ = offered === null ? "" : ` [[ $PREFIX == -* ]] || { ${offered}; return };`;
  return `    (${name})${arguments_} options=(${described(options)}) ;;`;
}

/** Completes keys. A key may be any text: it is never expanded, and zsh quotes what it inserts. */
const KEYS_OFFERED = `compadd -- "\${(@f)$(holdfast completion ${KEYS} \${opt_store:+--store=$opt_store} 2>/dev/null)}"`;

function described(options: Completed["options"]): string {
  return options.map(({ name, says }) => item(`--${name}`, says)).join(" ");
}

/** In zsh a colon separates a name from its description. */
function item(name: string, says: string): string {
  return quoted(`${name}:${says.replaceAll("\\", "\\\\").replaceAll(":", "\\:")}`, "zsh");
}
