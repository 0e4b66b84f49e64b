/** The same as in package.json, which a bundle does not carry along; a test keeps them equal. */
export const VERSION = "0.1.0";
