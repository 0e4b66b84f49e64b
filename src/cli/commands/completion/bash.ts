import { KEYS, optionsIn, type Table, takesFile } from "./words.ts";

/** The completion for bash. Where it has nothing to offer, bash completes file names by itself. */
export function bashScript(table: Table): string {
  const { commands, common } = table;
  const options = optionsIn(table);
  const valued = options.filter(({ value }) => value !== undefined);
  const free = valued.filter(({ choices }) => choices === undefined);
  const flags = (list: readonly { name: string }[]) =>
    list.map(({ name }) => `--${name}`).join(" ");
  return `# bash completion for holdfast. Load it with: source <(holdfast completion bash)
_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command= word
  local -i at
  local -a store=()
  COMPREPLY=()
  # bash takes --name=value for three words.
  if [[ $current == '=' ]]; then current=
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ $word == -- ]]; then
      # What follows is a command line of its own.
      if declare -F _command_offset >/dev/null; then _command_offset $((at + 1))
      elif ((at + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$current")); fi
      return
    fi
    case \${COMP_WORDS[at - 1]} in
      ${valued.map(({ name }) => `--${name}`).join("|")}|=) continue ;;
    esac
    case $word in
      ${commands.map(({ name }) => name).join("|")}) [[ $command ]] || command=$word ;;
    esac
  done
  case $previous in
${valued
  .filter(({ choices }) => choices !== undefined)
  .map(
    ({ name, choices }) =>
      `    --${name}) COMPREPLY=($(compgen -W '${choices?.join(" ")}' -- "$current")); return ;;`,
  )
  .join("\n")}
    ${free
      .filter(takesFile)
      .map(({ name }) => `--${name}`)
      .join("|")}) return ;;
    ${free
      .filter((option) => !takesFile(option))
      .map(({ name }) => `--${name}`)
      .join("|")}) compopt +o default 2>/dev/null; return ;;
  esac
  local words='' keys='' options='${flags(common)}'
  case $command in
    '') words='${commands.map(({ name }) => name).join(" ")}' ;;
${commands
  .map(
    ({ name, options: own, words, takesKey }) =>
      `    ${name}) options='${flags(own)}'${words.length > 0 ? ` words='${words.join(" ")}'` : ""}${takesKey ? " keys=1" : ""} ;;`,
  )
  .join("\n")}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $keys ]]; then
    compopt +o default 2>/dev/null
    [[ $COMP_LINE =~ --store[=\\ ]([^\\ ]+) ]] && store=(--store "\${BASH_REMATCH[1]}")
    # A key may be any text: it is never expanded, and quoted where the shell would read it otherwise.
    while IFS= read -r word; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$(printf %q "$word")")
    done < <(holdfast completion ${KEYS} "\${store[@]}" 2>/dev/null)
  elif [[ $command != ${commands.find(({ takesPaths }) => takesPaths)?.name ?? "migrate"} ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _holdfast holdfast
`;
}
