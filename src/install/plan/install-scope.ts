/** Which settings file: the project's, which is committed; the person's own in this project; the person's in every folder. */
export type Scope = "project" | "local" | "user";

export const scopes: readonly Scope[] = ["project", "local", "user"];

/** How an entry reaches the app. */
export type Transport = "http" | "client" | "run";

/** What the user asked for; `auto` is the client, or `run` where the client cannot work. */
export type AskedTransport = "auto" | Transport;

export const askedTransports: readonly AskedTransport[] = ["auto", "http", "client", "run"];
