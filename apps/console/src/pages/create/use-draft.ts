import type { KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useMemo, useState } from "react";
import type { LiveState } from "../../data/live-store.ts";
import { useLive } from "../../data/live.tsx";
import type { CommonValues, Draft, Values } from "../../kinds/create-form.ts";
import type { KindView } from "../../kinds/kind-view.ts";

/** The common values of an empty form. */
export const emptyValues: CommonValues = {
  name: "",
  environment: "",
  labels: [],
  parent: "",
  settings: {},
  rest: {},
  restOfMetadata: {},
};

/** Returns the form values: the user's input on top of suggested defaults. Suggestions may arrive while the user is typing. */
export function useDraft({
  kind,
  form,
}: KindView): [draft: Draft, change: (part: Partial<Draft>) => void, replace: (draft: Draft) => void] {
  const kinds = useLive((state) => state.kinds);
  const [typed, setTyped] = useState<Partial<Draft>>({});
  // Serialized to a string, so that unrelated changes in the project do not trigger another validation.
  const suggested = JSON.stringify(suggestValues(kind, form, kinds));
  const draft = useMemo(
    (): Draft => ({ ...emptyValues, ...form.defaults, ...(JSON.parse(suggested) as Partial<Draft>), ...typed }),
    [form, suggested, typed],
  );
  return [draft, (part) => setTyped((before) => ({ ...before, ...part })), setTyped];
}

function suggestValues(kind: KindName, form: KindView["form"], kinds: LiveState["kinds"]): Values {
  const parent = suggestParent(kind, kinds);
  return { ...form.suggest?.(kinds, Object.values(parent)[0] ?? ""), ...parent };
}

/** Returns the parent given in the page's URL, or else the first existing one. */
function suggestParent(kind: KindName, kinds: LiveState["kinds"]): Readonly<Record<string, string>> {
  const { parent } = getKind(kind);
  if (parent === undefined) return {};
  const names = [...(kinds[parent.kind as KindName]?.values() ?? [])].map(({ metadata }) => metadata.name);
  const first = names.toSorted((a, b) => a.localeCompare(b))[0] ?? "";
  return { [parent.field ?? "parent"]: new URLSearchParams(location.search).get("parent") ?? first };
}
