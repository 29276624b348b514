import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import type { FieldsProps } from "../create-form.ts";

/** Renders a field for selecting a cluster. */
export function ClusterChoice(props: {
  readonly value: string;
  readonly field: ReturnType<FieldsProps["at"]>;
  readonly onChange: (cluster: string) => void;
}): ReactNode {
  const clusters = useEntities("Cluster");
  return (
    <Select
      label="Cluster"
      required
      withAsterisk={false}
      allowDeselect={false}
      data={clusters.map(({ metadata }) => metadata.name)}
      value={props.value || null}
      {...props.field}
      onChange={(cluster) => props.onChange(cluster ?? "")}
    />
  );
}
