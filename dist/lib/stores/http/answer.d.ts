import { type Fields } from "../remote/fields.ts";
/** What a server said: any status, JSON or not. */
export interface Answer {
    readonly status: number;
    /** Null where it was no JSON object. */
    readonly body: Fields | null;
    /** The beginning of the page or text that came instead of JSON, for a sentence. */
    readonly text: string;
    readonly type: string;
    /** Milliseconds that the server asks for before the next try; null: it does not say. */
    readonly retryAfter: number | null;
    /** Of a redirect. */
    readonly location: string | null;
}
interface Head {
    readonly statusCode?: number | undefined;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
export declare function readAnswer({ statusCode, headers }: Head, content: Buffer): Answer;
export {};
