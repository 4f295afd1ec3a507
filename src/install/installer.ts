/** What installing needs of the warm daemon. Handed in, because this module and the daemon do not know each other. */
export interface DaemonControl {
  /** Where the app will be reached; kept on disk, so that port and token stay. `fresh` chooses others. */
  endpointFor(hooksFile: string, options?: { readonly fresh?: boolean }): Promise<Endpoint>;
  daemonStatus(hooksFile: string): Promise<DaemonStatus | undefined>;
  /** False when none ran. */
  stopDaemon(hooksFile: string): Promise<boolean>;
  /** Forgets port and token, and stops the daemon. */
  dropEndpoint(hooksFile: string): Promise<void>;
}

export interface Endpoint {
  readonly port: number;
  readonly token: string;
  /** `http://127.0.0.1:<port>/v1/hook/<key>` */
  readonly url: string;
}

export interface DaemonStatus {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly port: number;
  readonly version: string;
  readonly sourceHash: string;
}
