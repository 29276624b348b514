import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import type { FieldsProps } from "./fields-props.ts";

/** Renders the choice of the cluster; `path` is the field that holds it. */
export function ClusterChoice({ draft, set, at, path }: FieldsProps & { readonly path: string }): ReactNode {
  const clusters = useEntities("Cluster");
  return (
    <Select
      label="Cluster"
      required
      withAsterisk={false}
      allowDeselect={false}
      data={clusters.map(({ metadata }) => metadata.name)}
      value={draft.cluster || null}
      {...at(path)}
      onChange={(cluster) => set(path, { cluster: cluster ?? "" })}
    />
  );
}
