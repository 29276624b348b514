import { Chip, Group, Input } from "@mantine/core";
import type { CloudName } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import type { FieldsProps } from "../create-form.ts";
import { listZones } from "./choose-zones.ts";

/** Renders the zones of a region as selectable chips. */
export function ZoneChoice(props: {
  readonly cloud: CloudName;
  readonly region: string;
  readonly zones: readonly string[];
  readonly field: ReturnType<FieldsProps["at"]>;
  readonly onChange: (zones: readonly string[]) => void;
}): ReactNode {
  const { cloud, region, zones, field, onChange } = props;
  const offered = [...new Set([...listZones(cloud, region), ...zones])].toSorted();
  return (
    <div>
      <div style={{ fontSize: 13, fontWeight: 500, marginBottom: 6 }} id="zones">
        Zones
      </div>
      {offered.length === 0 ? (
        <span className="cw-muted cw-small">{region} has no availability zones.</span>
      ) : (
        <Chip.Group multiple value={[...zones]} onChange={(chosen: string[]) => onChange(chosen.toSorted())}>
          <Group gap={8} role="group" aria-labelledby="zones" data-field={field["data-field"]}>
            {offered.map((zone) => (
              <Chip key={zone} value={zone} size="sm">
                {zone}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      )}
      {field.error !== undefined && <Input.Error mt={6}>{field.error}</Input.Error>}
    </div>
  );
}
