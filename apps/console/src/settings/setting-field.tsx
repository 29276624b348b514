import { MultiSelect, NumberInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldsProps } from "../kinds/create-form.ts";
import type { Setting } from "./setting.ts";
import { parsePairs, parseTaints, renderPairs, renderTaints } from "./text-forms.ts";

/** Renders the input control for a setting. */
export function SettingField(props: {
  readonly setting: Setting;
  readonly value: unknown;
  readonly field: ReturnType<FieldsProps["at"]>;
  readonly onChange: (value: unknown) => void;
}): ReactNode {
  const { setting, value, field, onChange } = props;
  const { label, description, placeholder } = setting;
  const shared = { label, description, placeholder, ...field };
  switch (setting.input) {
    case "text":
      return (
        <TextInput
          {...shared}
          autoComplete="off"
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.currentTarget.value.trim())}
        />
      );
    case "number":
      return (
        <NumberInput
          {...shared}
          allowDecimal={false}
          min={setting.min ?? 0}
          max={setting.max}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
        />
      );
    case "switch":
      return (
        <Switch
          label={label}
          description={description}
          {...field}
          checked={typeof value === "boolean" ? value : (setting.isOn ?? false)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "section":
      return (
        <Switch
          label={label}
          description={description}
          {...field}
          checked={value !== undefined}
          onChange={(event) => onChange(event.currentTarget.checked ? {} : undefined)}
        />
      );
    case "choice":
      return (
        <Select
          {...shared}
          allowDeselect={false}
          data={[
            { value: "", label: setting.usual },
            ...setting.options.map(([each, text]) => ({ value: String(each), label: text })),
          ]}
          value={typeof value === "boolean" || typeof value === "string" ? String(value) : ""}
          onChange={(chosen) => onChange(setting.options.find(([each]) => String(each) === chosen)?.[0] ?? "")}
        />
      );
    case "choices":
      return (
        <MultiSelect
          {...shared}
          clearable
          data={[...setting.options]}
          value={textsOf(value)}
          onChange={(next) => onChange(next)}
        />
      );
    case "list":
      return <TagsInput {...shared} splitChars={[",", " "]} value={textsOf(value)} onChange={(next) => onChange(next)} />;
    case "map":
      return <TagsInput {...shared} value={renderPairs(value)} onChange={(next) => onChange(parsePairs(next))} />;
    case "taints":
      return <TagsInput {...shared} value={renderTaints(value)} onChange={(next) => onChange(parseTaints(next))} />;
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
