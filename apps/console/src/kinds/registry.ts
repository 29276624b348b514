import type { IconName } from "../design/icons.tsx";
import { accountView } from "./account/view.tsx";
import { clusterView } from "./cluster/view.tsx";
import { environmentView } from "./environment/view.tsx";
import type { KindView, ListView } from "./kind-view.ts";
import { networkView } from "./network/view.tsx";
import { nodePoolView } from "./node-pool/view.tsx";
import { storageView } from "./storage/view.tsx";

/** The kinds that the console shows, in the order in which users need them. */
export const kindViews: readonly KindView[] = [accountView, networkView, clusterView, nodePoolView, storageView, environmentView];

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
