const e=require("./program.js"),t=require("./context.js");let n=require("node:timers/promises");const r=[`bash`,`zsh`,`fish`],i=`keys`;function a(t){let n=t.map(({name:e})=>e);return{common:e.g,commands:t.map(t=>({name:t.name,summary:t.summary,options:[...e.x(t.options),...e.b(t)],words:{help:n,completion:[...r,`keys`]}[t.name]??[],takesPaths:t.takes===`paths`,takesKey:t.takes===`key`}))}}function o({commands:e,common:t}){let n=/* @__PURE__ */ new Map;for(let r of[...t,...e.flatMap(({options:e})=>e)])n.get(r.name)?.choices===void 0&&n.set(r.name,r);return[...n.values()]}function s({value:e}){return e===`FILE`||e===`URL`}function c(e,t){return t===`fish`?`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`:`'${e.replaceAll(`'`,`'\\''`)}'`}function l(e){let{commands:t,common:n}=e,r=o(e).filter(({value:e})=>e!==void 0),a=r.filter(({choices:e})=>e===void 0),c=e=>e.map(({name:e})=>`--${e}`).join(` `);return`# bash completion for holdfast. Load it with: source <(holdfast completion bash)
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
      ${r.map(({name:e})=>`--${e}`).join(`|`)}|=) continue ;;
    esac
    case $word in
      ${t.map(({name:e})=>e).join(`|`)}) [[ $command ]] || command=$word ;;
    esac
  done
  case $previous in
${r.filter(({choices:e})=>e!==void 0).map(({name:e,choices:t})=>`    --${e}) COMPREPLY=($(compgen -W '${t?.join(` `)}' -- "$current")); return ;;`).join(`
`)}
    ${a.filter(s).map(({name:e})=>`--${e}`).join(`|`)}) return ;;
    ${a.filter(e=>!s(e)).map(({name:e})=>`--${e}`).join(`|`)}) compopt +o default 2>/dev/null; return ;;
  esac
  local words='' keys='' options='${c(n)}'
  case $command in
    '') words='${t.map(({name:e})=>e).join(` `)}' ;;
${t.map(({name:e,options:t,words:n,takesKey:r})=>`    ${e}) options='${c(t)}'${n.length>0?` words='${n.join(` `)}'`:``}${r?` keys=1`:``} ;;`).join(`
`)}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $keys ]]; then
    compopt +o default 2>/dev/null
    [[ $COMP_LINE =~ --store[=\\ ]([^\\ ]+) ]] && store=(--store "\${BASH_REMATCH[1]}")
    # A key may be any text: it is never expanded, and quoted where the shell would read it otherwise.
    while IFS= read -r word; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$(printf %q "$word")")
    done < <(holdfast completion ${i} "\${store[@]}" 2>/dev/null)
  elif [[ $command != ${t.find(({takesPaths:e})=>e)?.name??`migrate`} ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _holdfast holdfast
`}const u=`not contains -- -- (commandline -opc)`;function d({commands:e,common:t}){let n=`${u}; and __fish_use_subcommand`,r=[`# fish completion for holdfast. Load it with: holdfast completion fish | source`,`complete -c holdfast -f`,`complete -c holdfast -n ${c(`contains -- -- (commandline -opc)`,`fish`)} -F`,...e.map(({name:e,summary:t})=>`complete -c holdfast -n ${c(n,`fish`)} -a ${e} -d ${c(t,`fish`)}`),...t.map(e=>f(e,n))];for(let{name:t,options:n,words:a,takesPaths:o,takesKey:s}of e){let e=`${u}; and __fish_seen_subcommand_from ${t}`;if(r.push(...n.map(t=>f(t,e))),o&&r.push(`complete -c holdfast -n ${c(e,`fish`)} -F`),s){let t=c(`(holdfast completion ${i} 2>/dev/null)`,`fish`);r.push(`complete -c holdfast -n ${c(e,`fish`)} -a ${t}`)}if(a.length>0){let t=c(a.join(` `),`fish`);r.push(`complete -c holdfast -n ${c(e,`fish`)} -a ${t}`)}}return`${r.join(`
`)}\n`}function f(e,t){let{name:n,short:r,value:i,choices:a,says:o}=e,l=r===void 0?``:` -s ${r}`,u=i===void 0?``:a===void 0?s(e)?` -r -F`:` -x`:` -x -a ${c(a.join(` `),`fish`)}`;return`complete -c holdfast -n ${c(t,`fish`)} -l ${n}${l}${u} -d ${c(o,`fish`)}`}function p(e){let{commands:t,common:n}=e,r=o(e).filter(({value:e})=>e!==void 0),i=r.filter(({choices:e})=>e===void 0),a=e=>e.map(({name:e})=>`--${e}`).join(`|`);return`#compdef holdfast
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
      (${a(r)}) continue ;;
    esac
    case $word in
      (${t.map(({name:e})=>e).join(`|`)}) [[ -n $command ]] || command=$word ;;
    esac
  done
  case \${words[CURRENT - 1]} in
${r.filter(({choices:e})=>e!==void 0).map(({name:e,choices:t})=>`    (--${e}) compadd -- ${t?.join(` `)}; return ;;`).join(`
`)}
    (${a(i.filter(s))}) _files; return ;;
    (${a(i.filter(e=>!s(e)))}) return ;;
  esac
  options=(${g(n)})
  case $command in
    ('')
      commands=(${t.map(({name:e,summary:t})=>_(e,t)).join(` `)})
      if [[ $PREFIX != -* ]]; then
        _describe -t commands command commands
        return
      fi
      ;;
${t.map(m).join(`
`)}
  esac
  [[ $PREFIX == -* ]] && _describe -o option options
}
if [[ \${funcstack[1]} == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`}function m({name:e,options:t,words:n,takesPaths:r,takesKey:i}){let a=n.length>0?`compadd -- ${n.join(` `)}`:null,o=r?`_files`:i?h:a;return`    (${e})${o===null?``:` [[ $PREFIX == -* ]] || { ${o}; return };`} options=(${g(t)}) ;;`}const h=`compadd -- "\${(@f)$(holdfast completion ${i} \${opt_store:+--store=$opt_store} 2>/dev/null)}"`;function g(e){return e.map(({name:e,says:t})=>_(`--${e}`,t)).join(` `)}function _(e,t){return c(`${e}:${t.replaceAll(`\\`,`\\\\`).replaceAll(`:`,`\\:`)}`,`zsh`)}const v={bash:l,zsh:p,fish:d};function y(t){return{name:`completion`,summary:`Prints the script with which a shell completes commands and options`,usage:[...r,i].join(`|`),about:[`The scripts complete commands, options, values and the keys of the store. For these they call completion keys, which prints what it finds within half a second, or nothing.`],takes:`word`,options:[],examples:[{line:`source <(holdfast completion bash)`,says:`in ~/.bashrc; for zsh in ~/.zshrc`},{line:`holdfast completion fish | source`,says:`in config.fish`}],exitCodes:e._,async act(n,r){if(n.words[0]===`keys`){let t=await b(n,r);if(n.json)r.stdout.write(`${e.M({store:e.z(n.store),keys:t})}\n`);else for(let e of t)r.stdout.write(`${e}\n`);return 0}let i=x(n.words[0]),o=v[i](a(await t()));return r.stdout.write(n.json?`${e.M({shell:i,script:o})}\n`:o),0}}}async function b(e,r){let i={...r.stderr,write:()=>{}},a=Math.max(0,500-performance.now()),o=t.m({...e,quiet:!0},{...r,stderr:i},{},e=>e.list({all:!0})).catch(()=>[]),s=(0,n.setTimeout)(a,[],{ref:!1});return(await Promise.race([o,s])).map(({key:e})=>e)}function x(t){let n=r.find(e=>e===t);if(n!==void 0)return n;let a=t===void 0?`is missing`:`${e.F(t)} is not known`;throw new e.V(`BAD_COMMAND`,`The shell ${a}: use one of ${r.join(`, `)}, or ${i}.`)}exports.completionCommand=y;