import type { EntityByKind, ListQuery, Stored } from "@cloudwright/api-client";
import type { KindName } from "@cloudwright/contract/kinds";
import type { Verb } from "./verbs.ts";

/** The value of a column for one entity. */
export type Show<Name extends KindName> = (entity: Stored<EntityByKind[Name]>) => string | number | undefined;

/** A column that only one kind has. Wide columns appear with `-o wide`. */
export type OwnColumn<Name extends KindName> = readonly [title: string, show: Show<Name>, wide?: "wide"];

/** Everything that the CLI does differently for one kind. Each kind has a file of its own in this folder. */
export interface CliKind<Name extends KindName> {
  readonly verbs: readonly Verb[];
  /** The columns between the phase and the age. */
  readonly columns: readonly OwnColumn<Name>[];
  /** Title of the column with the parent's name. It is marked if the account is simulated. */
  readonly parentColumn?: string;
  /** Shows a state instead of a phase, because entities of this kind end; or neither. Default: a phase. */
  readonly progress?: "state" | "none";
  /** Default order of lists. Default: by name. `server` if the server has only one order. */
  readonly order?: NonNullable<ListQuery["orderBy"]> | "server";
  readonly createExamples?: readonly string[];
  readonly updateExamples?: readonly string[];
  /** Changes can be previewed with `--preview`. */
  readonly hasPreview?: true;
  /** The spec field `network` also accepts the cloud's own id of a network, and `create` accepts it as `--vpc`. */
  readonly networkByCloudId?: true;
  /** Creating one prints a key that is shown only once. */
  readonly printsKey?: true;
  /** Users must type the name to confirm a deletion, although the platform builds nothing for it. */
  readonly confirmByName?: true;
  /** Entities of this kind contain all other entities of a project. */
  readonly containsProject?: true;
  /** Entities of this kind have steps and a timeline, and can be followed until they end. */
  readonly hasTimeline?: true;
  /** Hint for an empty list outside the project `system`. */
  readonly emptyHint?: string;
}
