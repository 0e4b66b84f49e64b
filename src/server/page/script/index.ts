import { BASE } from "./base.ts";
import { BREAK } from "./break.ts";
import { DETAIL } from "./detail.ts";
import { HISTORY } from "./history.ts";
import { KEYBOARD } from "./keyboard.ts";
import { LIST } from "./list.ts";
import { LIVE } from "./live.ts";
import { ROW } from "./row.ts";

/**
 * The page's script, for browsers: plain text here, because it must be the same whether the server
 * runs from its sources or from a bundle that a minifier has been through.
 */
export const SCRIPT = `(() => {
"use strict";
${[BASE, ROW, LIST, HISTORY, DETAIL, BREAK, KEYBOARD, LIVE].join("\n")}
})();`;
