/** Where the package keeps its prices. In a file of this folder, so that the path is the same when the build joins modules. */
export const priceFile: URL = new URL("./prices/anthropic.json", import.meta.url);
