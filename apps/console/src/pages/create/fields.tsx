import { Select, Stack, TagsInput, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { Panel } from "../../design/layout.tsx";
import { AccountFields } from "./account-fields.tsx";
import { ClusterFields } from "./cluster-fields.tsx";
import type { CreatableKind } from "./creatable.ts";
import type { FieldsProps } from "./fields-props.ts";
import { NetworkFields } from "./network-fields.tsx";
import { PoolFields } from "./pool-fields.tsx";
import { StorageFields } from "./storage-fields.tsx";

/** Renders the form fields of a kind: the common ones and its own. */
export function Fields(props: FieldsProps & { readonly kind: CreatableKind }): ReactNode {
  const { kind, draft, set, at } = props;
  const environments = useEntities("Environment");
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
          {kind === "Environment" ? (
            <TextInput
              label="Description"
              value={draft.description}
              {...at("spec.description")}
              onChange={(event) => set("spec.description", { description: event.currentTarget.value })}
            />
          ) : (
            environments.length > 0 && (
              <Select
                label="Environment"
                description="Entities below inherit it"
                clearable
                data={environments.map(({ metadata }) => metadata.name)}
                value={draft.environment || null}
                {...at("metadata.environment")}
                onChange={(environment) => set("metadata.environment", { environment: environment ?? "" })}
              />
            )
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
      {kind === "Account" && <AccountFields {...props} />}
      {kind === "Network" && <NetworkFields {...props} />}
      {kind === "Cluster" && <ClusterFields {...props} />}
      {kind === "NodePool" && <PoolFields {...props} />}
      {kind === "Storage" && <StorageFields {...props} />}
    </>
  );
}
