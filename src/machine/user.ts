import { userInfo } from "node:os";

/** The operating system's word for who acts. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
