import { Checkbox, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { projectsQuery } from "../../data/queries.ts";

const every = "*";

/** Lets the user select projects by name. With `everyLabel`, a checkbox selects all present and future projects. */
export function ProjectsField(props: {
  readonly label: string;
  readonly description: string;
  readonly everyLabel?: string;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}): ReactNode {
  const { label, description, everyLabel, value, onChange } = props;
  const { data = [] } = useQuery(projectsQuery);
  const isEvery = everyLabel !== undefined && value.includes(every);
  return (
    <div className="cw-stack" style={{ gap: 8 }}>
      <TagsInput
        label={label}
        description={description}
        data={data.map(({ metadata }) => metadata.name).filter((name) => name !== "system")}
        value={value.filter((name) => name !== every)}
        disabled={isEvery}
        acceptValueOnBlur
        onChange={onChange}
      />
      {everyLabel !== undefined && (
        <Checkbox
          label={everyLabel}
          checked={isEvery}
          onChange={(event) => onChange(event.currentTarget.checked ? [every] : [])}
        />
      )}
    </div>
  );
}
