import { Radio } from "@mantine/core";
import type { ReactNode } from "react";
import type { VolumeChoice } from "./use-removal.ts";

const choices: readonly (readonly [value: VolumeChoice, label: string, description: string])[] = [
  ["", "As configured", "The cluster's claimVolumes setting decides. Without it, each volume's reclaim policy decides."],
  ["retain", "Keep all volumes", "They remain in the cloud account and continue to incur charges."],
  ["delete", "Delete all volumes", "Their data is lost."],
];

/** Asks what should happen to the volumes of persistent volume claims in the deleted clusters. */
export function VolumeChoiceField(props: {
  readonly value: VolumeChoice;
  readonly onChange: (value: VolumeChoice) => void;
}): ReactNode {
  return (
    <Radio.Group
      label="Volumes bound to persistent volume claims"
      value={props.value}
      onChange={(value) => props.onChange(value as VolumeChoice)}
    >
      <div className="cw-stack" style={{ gap: 8, marginTop: 8 }}>
        {choices.map(([value, label, description]) => (
          <Radio key={value} value={value} label={label} description={description} />
        ))}
      </div>
    </Radio.Group>
  );
}
