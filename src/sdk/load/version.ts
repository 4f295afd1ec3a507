/** Put in when the package is bundled. */
declare const HOOKLINE_VERSION: string | undefined;

export const version: string = typeof HOOKLINE_VERSION === "string" ? HOOKLINE_VERSION : "source";
