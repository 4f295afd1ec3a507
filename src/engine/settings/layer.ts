import type { LayerKind, Settings, Warning } from "../../protocol/index.ts";

/** One source of settings, read and checked: what cannot be used is a warning beside what can. */
export interface Layer {
  readonly kind: LayerKind;
  /** The file it was read from; session hooks and callbacks have none. */
  readonly file?: string;
  /** Hooks of one plugin or skill never count as duplicates of another's. */
  readonly plugin?: PluginRoot;
  readonly frontmatter?: Frontmatter;
  readonly settings: Settings;
  /** False when the file exists but could not be used at all. */
  readonly readable: boolean;
  /** Events of which an entry could not be used. */
  readonly damaged?: readonly string[];
  readonly warnings: readonly Warning[];
  /** Hash of the bytes read; equal content, equal hash. */
  readonly contentHash: string;
}

/** The folder a plugin's hooks are written against, and what they may know of its configuration. */
export interface PluginRoot {
  readonly root: string;
  readonly data?: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** Whose hooks these are, and whether the person or the checkout brought them. */
export interface Frontmatter {
  readonly of: "agent" | "skill";
  readonly name: string;
  readonly from: "user" | "project";
}
