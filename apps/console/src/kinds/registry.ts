import type { AnyEntity } from "@cloudwright/api-client";
import { findCloudView } from "../clouds/registry.ts";
import type { EntityLocation } from "../data/locations.ts";
import { asPartOfSentence } from "../design/as-part-of-sentence.ts";
import type { IconName } from "../design/icons.tsx";
import { accountView } from "./account/view.tsx";
import { clusterView } from "./cluster/view.tsx";
import { environmentView } from "./environment/view.tsx";
import { instanceView } from "./instance/view.tsx";
import { inventoryView } from "./inventory/view.tsx";
import type { KindView, ListView } from "./kind-view.ts";
import { networkView } from "./network/view.tsx";
import { nodePoolView } from "./node-pool/view.tsx";
import { securityGroupView } from "./security-group/view.tsx";
import { sshKeyView } from "./ssh-key/view.tsx";
import { storageView } from "./storage/view.tsx";
import { volumeView } from "./volume/view.tsx";
import { volumeSnapshotView } from "./volume-snapshot/view.tsx";

/** The kinds that the console shows, in the order in which users need them. */
export const kindViews: readonly KindView[] = [
  accountView,
  networkView,
  clusterView,
  nodePoolView,
  storageView,
  instanceView,
  volumeView,
  volumeSnapshotView,
  securityGroupView,
  inventoryView,
  sshKeyView,
  environmentView,
];

/** The kinds that have a list page. */
export const listedKinds: readonly (KindView & { readonly list: ListView })[] = kindViews.flatMap((view) =>
  view.list === undefined ? [] : [{ ...view, list: view.list }],
);

const byKind: ReadonlyMap<string, KindView> = new Map(kindViews.map((view) => [view.kind, view]));

/** Returns the view of a kind, or undefined if the kind has no pages. */
export function findKindView(kind: string): KindView | undefined {
  return byKind.get(kind);
}

export function iconOfKind(kind: string): IconName {
  return byKind.get(kind)?.icon ?? "dot";
}

/** Returns the singular name of a kind, such as "node pool". */
export function nounOf(kind: string): string {
  return byKind.get(kind)?.noun ?? kind.toLowerCase();
}

/** Returns the plural name of a kind, such as "security groups", as part of a sentence. */
export function pluralOf(kind: string): string {
  return asPartOfSentence(byKind.get(kind)?.list?.title ?? nounOf(kind));
}

/** Returns the cloud's term for an entity, such as "VPC", or the name of its kind if the cloud has no term for it. */
export function describeKind({ noun, wordOf }: KindView, entity: AnyEntity, { cloud }: EntityLocation): string {
  const words = findCloudView(cloud)?.words;
  return words === undefined ? noun : (wordOf?.(words, entity) ?? noun);
}
