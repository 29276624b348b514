import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { removePath } from "../data/spec-paths.ts";
import { Icon } from "../design/icons.tsx";
import { Panel } from "../design/layout.tsx";
import type { FieldsProps } from "../kinds/create-form.ts";
import { SettingField } from "./setting-field.tsx";
import type { Setting, SettingGroup } from "./setting.ts";
import { applies, dropInapplicable, withValue } from "./setting-values.ts";

/** Renders groups of settings, each in its own panel. Advanced groups are collapsed by default. */
export function SettingPanels({ groups, draft, set, at }: FieldsProps & { readonly groups: readonly SettingGroup[] }): ReactNode {
  const { settings: values, rest } = draft;
  const change = (setting: Setting, value: unknown): void => {
    const isRemoved = setting.input === "section" && value === undefined;
    set(`spec.${setting.path}`, {
      settings: dropInapplicable(withValue(values, setting, value), groups, setting.path),
      ...(isRemoved ? { rest: removePath(rest, setting.path) } : {}),
    });
  };
  return groups.map(({ title, isAdvanced, settings }) => {
    const shown = settings.filter((setting) => applies(setting, values) || values[setting.path] !== undefined);
    const fields = (
      <Stack gap="md">
        {shown.map((setting) => (
          <SettingField
            key={setting.path}
            setting={setting}
            value={values[setting.path]}
            field={at(`spec.${setting.path}`)}
            onChange={(value) => change(setting, value)}
          />
        ))}
      </Stack>
    );
    if (isAdvanced !== true)
      return (
        <Panel key={title} title={title}>
          {fields}
        </Panel>
      );
    const count = shown.filter(({ path }) => values[path] !== undefined).length;
    return (
      <details key={title} className="cw-panel cw-fold">
        <summary>
          <Icon name="chevron" size={16} />
          <h2>{title}</h2>
          <span className="cw-muted cw-small">
            {count === 0 ? `${shown.length} ${shown.length === 1 ? "setting" : "settings"}` : `${count} of ${shown.length} set`}
          </span>
        </summary>
        <div className="cw-body">{fields}</div>
      </details>
    );
  });
}
