/** Something that is no longer as it was installed. */
export interface Drift {
  readonly kind: DriftKind;
  readonly message: string;
  /** File, line and column, where they are known. */
  readonly place?: string;
}

export type DriftKind =
  | "entry-missing"
  | "entry-altered"
  | "entry-left"
  | "handler-added"
  | "handler-removed"
  | "hooks-file-missing"
  | "hooks-file-broken"
  | "lock-missing"
  | "two-scopes"
  | "port-taken"
  | "http-entry"
  | "open-on-crash"
  | "url-forbidden"
  | "client-cannot-read"
  | "disabled";

export function drift(kind: DriftKind, message: string): Drift {
  return { kind, message };
}
