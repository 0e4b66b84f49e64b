import{f as e,g as t,l as n,x as r}from"./suggest.js";import{a as i,n as a,o,t as s}from"./command.js";import{m as c}from"./context.js";import{setTimeout as l}from"node:timers/promises";const u=[`bash`,`zsh`,`fish`],d=`keys`;function f(e){let t=e.map(({name:e})=>e);return{common:s,commands:e.map(e=>({name:e.name,summary:e.summary,options:[...o(e.options),...i(e)],words:{help:t,completion:[...u,`keys`]}[e.name]??[],takesPaths:e.takes===`paths`,takesKey:e.takes===`key`}))}}function p({commands:e,common:t}){let n=/* @__PURE__ */ new Map;for(let r of[...t,...e.flatMap(({options:e})=>e)])n.get(r.name)?.choices===void 0&&n.set(r.name,r);return[...n.values()]}function m({value:e}){return e===`FILE`||e===`URL`}function h(e,t){return t===`fish`?`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`:`'${e.replaceAll(`'`,`'\\''`)}'`}function g(e){let{commands:t,common:n}=e,r=p(e).filter(({value:e})=>e!==void 0),i=r.filter(({choices:e})=>e===void 0),a=e=>e.map(({name:e})=>`--${e}`).join(` `);return`# bash completion for holdfast. Load it with: source <(holdfast completion bash)
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
    ${i.filter(m).map(({name:e})=>`--${e}`).join(`|`)}) return ;;
    ${i.filter(e=>!m(e)).map(({name:e})=>`--${e}`).join(`|`)}) compopt +o default 2>/dev/null; return ;;
  esac
  local words='' keys='' options='${a(n)}'
  case $command in
    '') words='${t.map(({name:e})=>e).join(` `)}' ;;
${t.map(({name:e,options:t,words:n,takesKey:r})=>`    ${e}) options='${a(t)}'${n.length>0?` words='${n.join(` `)}'`:``}${r?` keys=1`:``} ;;`).join(`
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
    done < <(holdfast completion ${d} "\${store[@]}" 2>/dev/null)
  elif [[ $command != ${t.find(({takesPaths:e})=>e)?.name??`migrate`} ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _holdfast holdfast
`}const _=`not contains -- -- (commandline -opc)`;function v({commands:e,common:t}){let n=`${_}; and __fish_use_subcommand`,r=[`# fish completion for holdfast. Load it with: holdfast completion fish | source`,`complete -c holdfast -f`,`complete -c holdfast -n ${h(`contains -- -- (commandline -opc)`,`fish`)} -F`,...e.map(({name:e,summary:t})=>`complete -c holdfast -n ${h(n,`fish`)} -a ${e} -d ${h(t,`fish`)}`),...t.map(e=>y(e,n))];for(let{name:t,options:n,words:i,takesPaths:a,takesKey:o}of e){let e=`${_}; and __fish_seen_subcommand_from ${t}`;if(r.push(...n.map(t=>y(t,e))),a&&r.push(`complete -c holdfast -n ${h(e,`fish`)} -F`),o){let t=h(`(holdfast completion ${d} 2>/dev/null)`,`fish`);r.push(`complete -c holdfast -n ${h(e,`fish`)} -a ${t}`)}if(i.length>0){let t=h(i.join(` `),`fish`);r.push(`complete -c holdfast -n ${h(e,`fish`)} -a ${t}`)}}return`${r.join(`
`)}\n`}function y(e,t){let{name:n,short:r,value:i,choices:a,says:o}=e,s=r===void 0?``:` -s ${r}`,c=i===void 0?``:a===void 0?m(e)?` -r -F`:` -x`:` -x -a ${h(a.join(` `),`fish`)}`;return`complete -c holdfast -n ${h(t,`fish`)} -l ${n}${s}${c} -d ${h(o,`fish`)}`}function b(e){let{commands:t,common:n}=e,r=p(e).filter(({value:e})=>e!==void 0),i=r.filter(({choices:e})=>e===void 0),a=e=>e.map(({name:e})=>`--${e}`).join(`|`);return`#compdef holdfast
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
    (${a(i.filter(m))}) _files; return ;;
    (${a(i.filter(e=>!m(e)))}) return ;;
  esac
  options=(${C(n)})
  case $command in
    ('')
      commands=(${t.map(({name:e,summary:t})=>w(e,t)).join(` `)})
      if [[ $PREFIX != -* ]]; then
        _describe -t commands command commands
        return
      fi
      ;;
${t.map(x).join(`
`)}
  esac
  [[ $PREFIX == -* ]] && _describe -o option options
}
if [[ \${funcstack[1]} == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`}function x({name:e,options:t,words:n,takesPaths:r,takesKey:i}){let a=n.length>0?`compadd -- ${n.join(` `)}`:null,o=r?`_files`:i?S:a;return`    (${e})${o===null?``:` [[ $PREFIX == -* ]] || { ${o}; return };`} options=(${C(t)}) ;;`}const S=`compadd -- "\${(@f)$(holdfast completion ${d} \${opt_store:+--store=$opt_store} 2>/dev/null)}"`;function C(e){return e.map(({name:e,says:t})=>w(`--${e}`,t)).join(` `)}function w(e,t){return h(`${e}:${t.replaceAll(`\\`,`\\\\`).replaceAll(`:`,`\\:`)}`,`zsh`)}const T={bash:g,zsh:b,fish:v};function E(e){return{name:`completion`,summary:`Prints the script with which a shell completes commands and options`,usage:[...u,d].join(`|`),about:[`The scripts complete commands, options, values and the keys of the store. For these they call completion keys, which prints what it finds within half a second, or nothing.`],takes:`word`,options:[],examples:[{line:`source <(holdfast completion bash)`,says:`in ~/.bashrc; for zsh in ~/.zshrc`},{line:`holdfast completion fish | source`,says:`in config.fish`}],exitCodes:a,async act(r,i){if(r.words[0]===`keys`){let e=await D(r,i);if(r.json)i.stdout.write(`${n({store:t(r.store),keys:e})}\n`);else for(let t of e)i.stdout.write(`${t}\n`);return 0}let a=O(r.words[0]),o=T[a](f(await e()));return i.stdout.write(r.json?`${n({shell:a,script:o})}\n`:o),0}}}async function D(e,t){let n={...t.stderr,write:()=>{}},r=Math.max(0,500-performance.now()),i=c({...e,quiet:!0},{...t,stderr:n},{},e=>e.list({all:!0})).catch(()=>[]),a=l(r,[],{ref:!1});return(await Promise.race([i,a])).map(({key:e})=>e)}function O(t){let n=u.find(e=>e===t);if(n!==void 0)return n;let i=t===void 0?`is missing`:`${e(t)} is not known`;throw new r(`BAD_COMMAND`,`The shell ${i}: use one of ${u.join(`, `)}, or ${d}.`)}export{E as completionCommand};