import type { KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useMemo, useState } from "react";
import type { LiveState } from "../../data/live-store.ts";
import { useLive } from "../../data/live.tsx";
import type { CommonValues, Draft } from "../../kinds/create-form.ts";
import type { KindView } from "../../kinds/kind-view.ts";

const empty: CommonValues = { name: "", environment: "", labels: [], parent: "" };

/** Returns the form values: the user's input on top of suggested defaults. Suggestions may arrive while the user is typing. */
export function useDraft({ kind, form }: KindView): [Draft, (part: Partial<Draft>) => void] {
  const kinds = useLive((state) => state.kinds);
  const [typed, setTyped] = useState<Partial<Draft>>({});
  // Serialized to a string, so that unrelated changes in the project do not trigger another validation.
  const suggested = JSON.stringify({ ...form.suggest?.(kinds), ...suggestParent(kind, kinds) });
  const draft = useMemo(
    (): Draft => ({ ...empty, ...form.defaults, ...(JSON.parse(suggested) as Partial<Draft>), ...typed }),
    [form, suggested, typed],
  );
  return [draft, (part) => setTyped((before) => ({ ...before, ...part }))];
}

/** Returns the parent given in the page's URL, or else the first existing one. */
function suggestParent(kind: KindName, kinds: LiveState["kinds"]): Readonly<Record<string, string>> {
  const { parent } = getKind(kind);
  if (parent === undefined) return {};
  const names = [...(kinds[parent.kind as KindName]?.values() ?? [])].map(({ metadata }) => metadata.name);
  const first = names.toSorted((a, b) => a.localeCompare(b))[0] ?? "";
  return { [parent.field ?? "parent"]: new URLSearchParams(location.search).get("parent") ?? first };
}
