import type { JsonObject } from "@cloudwright/deployer";
import type { StoredPlan } from "@cloudwright/deployer/testing";

interface PlannedChange {
  readonly address: string;
  readonly resourceType: string;
  readonly action: string;
  readonly values: { readonly after: JsonObject | null };
}

/** Renders a plan for a golden file: the sorted resource addresses, each with the attributes that a reviewer needs to see. */
export function renderGoldenPlan({ changes }: StoredPlan, shown: Readonly<Record<string, readonly string[]>>): string {
  const entries = (changes as unknown as readonly PlannedChange[])
    .toSorted((a, b) => (a.address < b.address ? -1 : 1))
    .map(({ address, resourceType, action, values }) => {
      const after = values.after ?? {};
      const known = (shown[resourceType] ?? []).filter((name) => after[name] !== undefined && after[name] !== null);
      const attributes = Object.fromEntries(known.map((name) => [name, after[name]]));
      return [address, action === "create" ? attributes : { action, ...attributes }] as const;
    });
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}
