import type { AnyEntity, EntityByKind, KindName, Stored } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import type { CloudWords } from "../clouds/cloud-words.ts";
import type { EntityLocation } from "../data/locations.ts";
import type { Column } from "../design/arrange-rows.ts";
import type { IconName } from "../design/icons.tsx";
import type { CreateForm } from "./create-form.ts";

/** The kind-specific parts of the console. Each kind declares them in its own folder. */
export interface KindView {
  readonly kind: KindName;
  readonly icon: IconName;
  /** The singular name to display, such as "node pool". */
  readonly noun: string;
  /** The second key of a keyboard shortcut: after `g` to open the list, after `c` to create an entity. */
  readonly shortcuts?: { readonly list?: string; readonly create?: string };
  /** The list page. Undefined if entities are listed only on their parent's page. */
  readonly list?: ListView;
  readonly detail: DetailView;
  readonly form: CreateForm;
  /** Returns the most useful fact about an entity besides its state. Shown in the tree. */
  describe?(entity: AnyEntity): string;
  /** Returns the cloud's term for an entity of this kind, such as "VPC". Returns undefined for kinds without cloud-specific terms. */
  wordOf?(words: CloudWords, entity: AnyEntity): string;
}

/** One row of a list page. */
export interface Row {
  readonly entity: Stored<AnyEntity>;
  readonly where: EntityLocation;
  /** The number of entities that this entity contains. */
  readonly childCount: number;
}

export interface ListView {
  readonly title: string;
  readonly description: string;
  /** Explains the kind when the list is empty. */
  readonly emptyText: string;
  /** The kind-specific columns. Name, state, environment and labels are common to all kinds. */
  readonly columns: readonly Column<Row>[];
  /** The kinds to count for each row, and the metadata field by which their entities refer to the row's entity. */
  readonly counts?: { readonly kinds: readonly KindName[]; readonly by: "parent" | "environment" };
  /** True if the platform updates the entities continuously, which makes the time of the last change meaningless. */
  readonly isAlwaysChanging?: boolean;
}

/** One line of a summary: a label and its value. */
export type Fact = readonly [label: string, value: ReactNode];

/** Renders a link to an entity. Renders nothing if the name is undefined. */
export type EntityLink = (kind: KindName, name: string | undefined) => ReactNode;

export interface DetailView {
  /** Returns the kind-specific facts for the summary. */
  listFacts(entity: AnyEntity, link: EntityLink, where: EntityLocation): readonly Fact[];
  /** True if the kind has its own Terraform runs. */
  readonly hasRuns: boolean;
  /** True if entities disappear immediately when deleted, because they have no infrastructure. */
  readonly isDeletedAtOnce?: boolean;
  /** For kinds that group other entities, such as environments: the kinds of the members to list as related entities. */
  readonly members?: readonly KindName[];
  /** Renders the main content of an entity's page, below the summary. */
  renderContent?(entity: Stored<AnyEntity>): ReactNode;
  /** Renders the kind-specific panels beside the summary. */
  renderPanels?(entity: Stored<AnyEntity>): ReactNode;
  /** Renders the kind-specific buttons. */
  renderActions?(props: ActionProps): ReactNode;
  /** The kind-specific menu entries. */
  readonly menu?: readonly MenuEntry[];
}

export interface ActionProps {
  readonly entity: Stored<AnyEntity>;
  readonly where: EntityLocation;
  readonly can: (kind: KindName, verb: string) => boolean;
}

/** A menu entry of a detail page. It opens either a page or a dialog. */
export interface MenuEntry {
  readonly label: string;
  readonly icon: IconName;
  /** The permission that the user needs to see this entry. */
  readonly needs: readonly [kind: KindName, verb: string];
  isOffered?(entity: Stored<AnyEntity>): boolean;
  /** Returns the path of the page to open. */
  pathOf?(project: string, entity: Stored<AnyEntity>): string;
  /** Renders the dialog to open. */
  renderDialog?(props: { readonly entity: Stored<AnyEntity>; readonly onClose: () => void }): ReactNode;
}

/** Returns a row's entity, typed by its kind. */
export function entityOf<Name extends KindName>({ entity }: Row): EntityByKind[Name] {
  return entity as EntityByKind[Name];
}
