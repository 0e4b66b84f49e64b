import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./directories.ts";
import { isRoot } from "./file/support.ts";
import { ROOT } from "./sources.ts";

export const isMac = process.platform === "darwin";

/**
 * macOS itself, or as far as Linux can play it: a mount namespace without /proc, in which `ps` speaks BSD's
 * dialect (the system's own `ps` answers, which finds the real /proc in a namespace of its own) and
 * `sysctl` names the boot.
 */
export interface PlayedMac {
  /** Words to put before a command, so that it runs there. */
  readonly launcher: string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * In another language it names days and months otherwise. It hides the environment of the system's own
 * programs, which are those that are named without a path.
 */
const ps = (proc: string) => `#!/bin/sh
option=
for word; do
  shift
  case "$word" in
    -E) option=e ;;
    *) set -- "$@" "$word" ;;
  esac
done
case "$1" in -A) shift; set -- axww "$@" ;; esac
real() { unshare --mount sh -c 'mount --rbind "$0" /proc && exec /bin/ps "$@"' "${proc}" "$@"; }
if [ "$option" ]; then
  { real "$@"; echo; real e "$@"; } |
    awk 'NF == 0 { both = 1 } !both { plain[$1] = $0 } both && NF { print $10 ~ "/" ? $0 : plain[$1] }'
  exit
fi
case "$LC_ALL" in
  de*) real "$@" | sed 's/ [A-Z][a-z][a-z] [A-Z][a-z][a-z] / Mi. Dez. /' ;;
  *) real "$@" ;;
esac
`;

const SYSCTL = `#!/bin/sh
[ "$*" = "-n kern.bootsessionuuid" ] && echo "\${BOOT_UUID:-5E1B0A36-0000-4000-8000-000000000001}"
`;

export function playMac(): PlayedMac {
  if (isMac) return { launcher: [], env: {} };
  const directory = temporaryDirectory();
  const bin = join(directory, "bin");
  const proc = join(directory, "proc");
  for (const path of [bin, proc]) mkdirSync(path);
  for (const [name, text] of Object.entries({ ps: ps(proc), sysctl: SYSCTL }))
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  const path = `${bin}:${process.env.PATH}`;
  const hide =
    'mount --rbind /proc "$0" && mount -t tmpfs none /proc && export PATH="$1" && shift && exec "$@"';
  const launcher = ["unshare", "--mount", "sh", "-c", hide, proc, path];
  return { launcher, env: { PATH: path } };
}

/**
 * A root in which /tmp is a link to /private/tmp, as on macOS. Words to put before a command. Nothing of
 * the old /tmp is there but this checkout, where it lies below.
 */
export function linkedTmp(): string[] {
  if (isMac) return [];
  const root = temporaryDirectory();
  const build = [
    'mount -t tmpfs none "$0"',
    "for each in /*; do",
    '  if [ "$each" = /tmp ]; then continue',
    '  elif [ -L "$each" ]; then cp -P "$each" "$0$each"',
    '  elif [ -d "$each" ]; then mkdir "$0$each" && mount --rbind "$each" "$0$each"; fi',
    "done",
    'mkdir -p -m 1777 "$0/private/tmp" && ln -s private/tmp "$0/tmp"',
    'case "$1" in /tmp/*) mkdir -p "$0/private$1" && mount --rbind "$1" "$0/private$1" ;; esac',
    'shift && exec chroot "$0" "$@"',
  ].join("\n");
  return ["unshare", "--mount", "sh", "-c", build, root, ROOT];
}

export const canPlayMac =
  isMac ||
  (isRoot &&
    spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/proc"]).status === 0);
