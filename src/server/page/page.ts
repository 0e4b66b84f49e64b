import { createHash } from "node:crypto";
import type { Handler, ReplyHeaders } from "../http/exchange.ts";
import { allowReading } from "../http/exchange.ts";
import { composeHtml } from "./markup.ts";
import { SCRIPT } from "./script/index.ts";
import { STYLE } from "./style.ts";

/** The page is the same for everybody and knows nothing: what it shows it asks `/admin/` for. */
export function createPage(): Handler {
  const html = Buffer.from(composeHtml(STYLE, SCRIPT), "utf8");
  const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
  const headers: ReplyHeaders = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy(),
    // A new server's page must come with the server, not from yesterday's cache.
    "cache-control": "no-cache",
    etag,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    // A link to a run must not tell a stranger's server the address of this one.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };
  return (exchange) => {
    allowReading(exchange);
    if (exchange.header("if-none-match") === etag) return { status: 304, headers };
    return { status: 200, headers, body: html };
  };
}

/**
 * Owners, notes and keys are chosen by strangers. The script only ever sets text; should that ever
 * slip, nothing but this very script and style can run, and nothing can be sent elsewhere.
 */
function contentPolicy(): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
