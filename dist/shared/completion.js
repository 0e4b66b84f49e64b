import{c as e,g as t,u as n}from"./key.js";import{a as r,n as i,o as a,t as o}from"./command.js";const s=[`bash`,`zsh`,`fish`];function c(e){let t=e.map(({name:e})=>e);return{common:o,commands:e.map(e=>({name:e.name,summary:e.summary,options:[...a(e.options),...r(e)],words:{help:t,completion:[...s]}[e.name]??[],takesPaths:e.takes===`paths`}))}}function l({commands:e,common:t}){let n=/* @__PURE__ */ new Map;for(let r of[...t,...e.flatMap(({options:e})=>e)])n.get(r.name)?.choices===void 0&&n.set(r.name,r);return[...n.values()]}function u({value:e}){return e===`FILE`||e===`URL`}function d(e,t){return t===`fish`?`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`:`'${e.replaceAll(`'`,`'\\''`)}'`}function f(e){let{commands:t,common:n}=e,r=l(e).filter(({value:e})=>e!==void 0),i=r.filter(({choices:e})=>e===void 0),a=e=>e.map(({name:e})=>`--${e}`).join(` `);return`# bash completion for holdfast. Load it with: source <(holdfast completion bash)
_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command= word
  local -i at
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
    ${i.filter(u).map(({name:e})=>`--${e}`).join(`|`)}) return ;;
    ${i.filter(e=>!u(e)).map(({name:e})=>`--${e}`).join(`|`)}) compopt +o default 2>/dev/null; return ;;
  esac
  local words='' options='${a(n)}'
  case $command in
    '') words='${t.map(({name:e})=>e).join(` `)}' ;;
${t.map(({name:e,options:t,words:n})=>`    ${e}) options='${a(t)}'${n.length>0?` words='${n.join(` `)}'`:``} ;;`).join(`
`)}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $command != ${t.find(({takesPaths:e})=>e)?.name??`migrate`} ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _holdfast holdfast
`}const p=`not contains -- -- (commandline -opc)`;function m({commands:e,common:t}){let n=`${p}; and __fish_use_subcommand`,r=[`# fish completion for holdfast. Load it with: holdfast completion fish | source`,`complete -c holdfast -f`,`complete -c holdfast -n ${d(`contains -- -- (commandline -opc)`,`fish`)} -F`,...e.map(({name:e,summary:t})=>`complete -c holdfast -n ${d(n,`fish`)} -a ${e} -d ${d(t,`fish`)}`),...t.map(e=>h(e,n))];for(let{name:t,options:n,words:i,takesPaths:a}of e){let e=`${p}; and __fish_seen_subcommand_from ${t}`;if(r.push(...n.map(t=>h(t,e))),a&&r.push(`complete -c holdfast -n ${d(e,`fish`)} -F`),i.length>0){let t=d(i.join(` `),`fish`);r.push(`complete -c holdfast -n ${d(e,`fish`)} -a ${t}`)}}return`${r.join(`
`)}\n`}function h(e,t){let{name:n,short:r,value:i,choices:a,says:o}=e,s=r===void 0?``:` -s ${r}`,c=i===void 0?``:a===void 0?u(e)?` -r -F`:` -x`:` -x -a ${d(a.join(` `),`fish`)}`;return`complete -c holdfast -n ${d(t,`fish`)} -l ${n}${s}${c} -d ${d(o,`fish`)}`}function g(e){let{commands:t,common:n}=e,r=l(e).filter(({value:e})=>e!==void 0),i=r.filter(({choices:e})=>e===void 0),a=e=>e.map(({name:e})=>`--${e}`).join(`|`);return`#compdef holdfast
# zsh completion for holdfast. Load it with: source <(holdfast completion zsh)
_holdfast() {
  local command= word
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
    (${a(i.filter(u))}) _files; return ;;
    (${a(i.filter(e=>!u(e)))}) return ;;
  esac
  options=(${v(n)})
  case $command in
    ('')
      commands=(${t.map(({name:e,summary:t})=>y(e,t)).join(` `)})
      if [[ $PREFIX != -* ]]; then
        _describe -t commands command commands
        return
      fi
      ;;
${t.map(_).join(`
`)}
  esac
  [[ $PREFIX == -* ]] && _describe -o option options
}
if [[ \${funcstack[1]} == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`}function _({name:e,options:t,words:n,takesPaths:r}){let i=r?`_files`:n.length>0?`compadd -- ${n.join(` `)}`:null;return`    (${e})${i===null?``:` [[ $PREFIX == -* ]] || { ${i}; return };`} options=(${v(t)}) ;;`}function v(e){return e.map(({name:e,says:t})=>y(`--${e}`,t)).join(` `)}function y(e,t){return d(`${e}:${t.replaceAll(`\\`,`\\\\`).replaceAll(`:`,`\\:`)}`,`zsh`)}const b={bash:f,zsh:g,fish:m};function x(t){return{name:`completion`,summary:`Prints the script with which a shell completes commands and options`,usage:s.join(`|`),takes:`word`,usesStore:!1,options:[],examples:[{line:`source <(holdfast completion bash)`,says:`in ~/.bashrc; for zsh in ~/.zshrc`},{line:`holdfast completion fish | source`,says:`in config.fish`}],exitCodes:i,async act(n,r){let i=S(n.words[0]),a=b[i](c(await t()));return r.stdout.write(n.json?`${e({shell:i,script:a})}\n`:a),0}}}function S(e){let r=s.find(t=>t===e);if(r!==void 0)return r;let i=e===void 0?`is missing`:`${n(e)} is not known`;throw new t(`BAD_COMMAND`,`The shell ${i}: use one of ${s.join(`, `)}.`)}export{x as completionCommand};