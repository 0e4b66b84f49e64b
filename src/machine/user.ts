import { userInfo } from "node:os";

/** The operating system's name of the user that this process runs as. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
