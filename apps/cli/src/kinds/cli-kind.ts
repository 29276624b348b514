import type { CallOptions, Client, EntityByKind, ListQuery, Stored } from "@cloudwright/api-client";
import type { KindName } from "@cloudwright/contract/kinds";
import type { RecordFlag } from "../flags/record-flags.ts";
import type { Verb } from "./verbs.ts";

/** Returns a column's value for one entity. */
export type Show<Name extends KindName> = (entity: Stored<EntityByKind[Name]>) => string | number | undefined;

/** A column that only one kind has. Columns marked `wide` appear with `-o wide` only. */
export type OwnColumn<Name extends KindName> = readonly [title: string, show: Show<Name>, wide?: "wide"];

/** The CLI settings of one kind. Each kind has its own file in this folder. */
export interface CliKind<Name extends KindName> {
  readonly verbs: readonly Verb[];
  /** The columns between phase and age. */
  readonly columns: readonly OwnColumn<Name>[];
  /** The title of the column with the parent's name. The column also marks simulated accounts. */
  readonly parentColumn?: string;
  /** Selects the content of the progress column. `state` is for kinds whose entities finish, such as operations. Default: the phase. */
  readonly progress?: "state" | "none";
  /** The default sort order of lists. `server` means that the server supports only one order. Default: by name. */
  readonly order?: NonNullable<ListQuery["orderBy"]> | "server";
  readonly createExamples?: readonly string[];
  readonly updateExamples?: readonly string[];
  /** True if the kind supports `--preview`. */
  readonly hasPreview?: true;
  /** True if the `network` spec field also accepts a cloud id, and `create` accepts `--vpc`. */
  readonly networkByCloudId?: true;
  /** Short names for flags of `create`. Maps each short name to the flag that it stands for. */
  readonly flagAliases?: Readonly<Record<string, string>>;
  /** Flags of `create` and `update` that add records to lists in a short form. */
  readonly recordFlags?: readonly RecordFlag[];
  /** Reads the log of one entity. Set only for kinds whose logs do not come from tasks. */
  readonly readLog?: (client: Client, project: string, name: string, options: CallOptions) => Promise<string>;
  /** True if `create` prints an API key, which is shown only once. */
  readonly printsKey?: true;
  /** True if the user must type the name to confirm a deletion, even though no infrastructure is deleted. */
  readonly confirmByName?: true;
  /** Describes what deleting an entity removes. Used for kinds without cloud resources. */
  readonly removalNote?: string;
  /** True for projects, which contain all other entities. */
  readonly containsProject?: true;
  /** True if the kind's entities have steps and a timeline and can be followed until they end. */
  readonly hasTimeline?: true;
  /** The hint shown for an empty list outside the `system` project. */
  readonly emptyHint?: string;
}
