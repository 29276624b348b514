import { Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { Suspense, type ReactNode } from "react";
import { useEntities, useLive } from "../../data/live.tsx";
import { Panel } from "../../design/layout.tsx";
import type { CreateForm, FieldsProps } from "../../kinds/create-form.ts";

const waiting = <div style={{ height: 400 }} aria-busy="true" />;

/** Renders the form fields of a kind: the common ones and the kind-specific ones. */
export function Fields({ form, ...props }: FieldsProps & { readonly form: CreateForm }): ReactNode {
  const { draft, set, at } = props;
  const environments = useEntities("Environment");
  const synced = useLive((state) => state.synced);
  return (
    <>
      <Panel title="Name">
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Lower-case letters, digits and dashes; unique in the project"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="off"
            value={draft.name}
            {...at("metadata.name")}
            onChange={(event) => set("metadata.name", { name: event.currentTarget.value })}
          />
          <Suspense>{form.renderCommonFields?.(props)}</Suspense>
          {form.hasEnvironment && environments.length > 0 && (
            <Select
              label="Environment"
              description="Child entities inherit the environment"
              clearable
              data={environments.map(({ metadata }) => metadata.name)}
              value={draft.environment || null}
              {...at("metadata.environment")}
              onChange={(environment) => set("metadata.environment", { environment: environment ?? "" })}
            />
          )}
          <TagsInput
            label="Labels"
            description="key=value, then Enter"
            placeholder={draft.labels.length === 0 ? "team=payments" : ""}
            value={[...draft.labels]}
            {...at("metadata.labels")}
            onChange={(labels) => set("metadata.labels", { labels })}
          />
        </Stack>
      </Panel>
      {/* The fields depend on the cloud, which is unknown until the existing entities are loaded. */}
      {synced ? <Suspense fallback={waiting}>{form.renderFields?.(props)}</Suspense> : waiting}
    </>
  );
}
