/** The pack format, as far as single commits need it: no deltas, no index. */
export interface PackedObject {
    readonly type: ObjectType;
    readonly content: Buffer;
}
export type ObjectType = "commit" | "tree" | "blob" | "tag";
export declare function writePack(objects: readonly PackedObject[]): Buffer;
export declare function readPack(bytes: Buffer): PackedObject[];
