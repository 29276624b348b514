import type { AnyEntity, EntityByKind, KindName, Stored } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import type { EntityLocation } from "../data/locations.ts";
import type { Column } from "../design/arrange-rows.ts";
import type { IconName } from "../design/icons.tsx";
import type { CreateForm } from "./create-form.ts";

/** Everything the console's generic pages ask about a kind. Each kind declares it in its own folder. */
export interface KindView {
  readonly kind: KindName;
  readonly icon: IconName;
  /** The singular for people: "node pool". */
  readonly noun: string;
  /** The keys that follow `g` (open the list) and `c` (create). */
  readonly shortcuts?: { readonly list?: string; readonly create?: string };
  /** The list page. Absent if entities are only listed at their parent. */
  readonly list?: ListView;
  readonly detail: DetailView;
  readonly form: CreateForm;
  /** Returns the most useful fact beside the state, for the tree. */
  describe?(entity: AnyEntity): string;
}

/** An entity in a list. */
export interface Row {
  readonly entity: Stored<AnyEntity>;
  readonly where: EntityLocation;
  /** The number of entities in it. */
  readonly childCount: number;
}

/** The list page of a kind. */
export interface ListView {
  readonly title: string;
  readonly description: string;
  /** Explains the kind while the list is empty. */
  readonly emptyText: string;
  /** The kind's own columns. Name, state, environment and labels are common to all kinds. */
  readonly columns: readonly Column<Row>[];
  /** The kinds counted for each row, by the field of their metadata that names the row. */
  readonly counts?: { readonly kinds: readonly KindName[]; readonly by: "parent" | "environment" };
  /** True if the platform updates the entities all the time, so that their time of change carries no information. */
  readonly isAlwaysChanging?: boolean;
}

/** One line of a summary. */
export type Fact = readonly [label: string, value: ReactNode];

/** Renders a link to an entity, or nothing without a name. */
export type EntityLink = (kind: KindName, name: string | undefined) => ReactNode;

/** The detail page of a kind. */
export interface DetailView {
  /** Returns the kind's own facts for the summary. */
  listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[];
  /** True if the kind has Terraform runs of its own. */
  readonly hasRuns: boolean;
  /** True if entities disappear as soon as they are deleted, because nothing was built for them. */
  readonly isDeletedAtOnce?: boolean;
  /** The kinds whose members are listed as related, for kinds that group others. */
  readonly members?: readonly KindName[];
  /** Renders the kind's own panels beside the summary. */
  renderPanels?(entity: Stored<AnyEntity>): ReactNode;
  /** Renders the kind's own buttons. */
  renderActions?(props: ActionProps): ReactNode;
  /** The kind's own entries in the menu. */
  readonly menu?: readonly MenuEntry[];
}

/** Props of a kind's own buttons. */
export interface ActionProps {
  readonly entity: Stored<AnyEntity>;
  readonly where: EntityLocation;
  readonly can: (kind: KindName, verb: string) => boolean;
}

/** An entry in the menu of a detail page. It opens a page or a dialog. */
export interface MenuEntry {
  readonly label: string;
  readonly icon: IconName;
  /** The permission required. */
  readonly needs: readonly [kind: KindName, verb: string];
  isOffered?(entity: Stored<AnyEntity>): boolean;
  /** Returns the path of the page to open. */
  pathOf?(project: string, entity: Stored<AnyEntity>): string;
  /** Renders the dialog to open. */
  renderDialog?(props: { readonly entity: Stored<AnyEntity>; readonly onClose: () => void }): ReactNode;
}

/** Returns the entity of a row, typed by its kind. */
export function entityOf<Name extends KindName>({ entity }: Row): EntityByKind[Name] {
  return entity as EntityByKind[Name];
}
