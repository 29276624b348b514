import { Button, Modal, PasswordInput, Select, TextInput } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { backendTypes } from "@cloudwright/contract/state-backends";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { backendsQuery } from "../../data/queries.ts";
import { FaultNote } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";
import { omitEmpty } from "../../kinds/create-form.ts";
import { ProjectsField } from "../grants/projects-field.tsx";
import { hasPrefix, listOpenFields, listSecretFields, listSettings, nameField } from "./backend-fields.ts";

/** Creates a backend, or changes the projects and secrets of an existing one. The location of its states cannot be changed. */
export function BackendDialog(props: {
  readonly backend?: Stored<EntityByKind["Backend"]>;
  readonly onClose: () => void;
}): ReactNode {
  const { backend, onClose } = props;
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [type, setType] = useState(backend?.spec?.type ?? backendTypes[0] ?? "");
  const [settings, setSettings] = useState<Readonly<Record<string, string>>>({});
  const [prefix, setPrefix] = useState("");
  const [projects, setProjects] = useState<readonly string[]>(backend?.spec?.projects ?? []);
  const [credentials, setCredentials] = useState<Readonly<Record<string, string>>>(readOpen(backend));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const stored = backend?.status?.secretsSet ?? [];
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const changeable = { projects: [...projects], ...omitEmpty(credentials) };
      if (backend === undefined) {
        const spec = { type, settings: omitEmpty(settings), prefix, ...changeable };
        await client.backends.create({ metadata: { name }, spec });
      } else {
        const { name: own, resourceVersion } = backend.metadata;
        await client.backends.patch(own, { metadata: { resourceVersion }, spec: changeable });
      }
      await queries.invalidateQueries({ queryKey: backendsQuery.queryKey });
      toast("good", backend === undefined ? `${name} created` : `${backend.metadata.name} updated`);
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={backend === undefined ? "Create backend" : `Edit ${backend.metadata.name}`} size="lg">
      <form className="cw-stack" onSubmit={(event) => void submit(event)}>
        {backend === undefined && (
          <>
            <TextInput
              label="Name"
              data-autofocus
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Select
              label="Type"
              description="Type, settings and prefix cannot be changed later"
              allowDeselect={false}
              data={[...backendTypes]}
              value={type}
              onChange={(value) => {
                setType(value ?? "");
                setSettings({});
                setCredentials({});
                setPrefix("");
              }}
            />
            <div className="cw-pair">
              {listSettings(type).map(({ name: setting, isRequired }) => (
                <TextInput
                  key={`${type} ${setting}`}
                  label={nameField(setting)}
                  required={isRequired}
                  value={settings[setting] ?? ""}
                  onChange={(event) => setSettings({ ...settings, [setting]: event.currentTarget.value })}
                />
              ))}
            </div>
            {hasPrefix(type) && (
              <TextInput
                label="Prefix"
                description="States are stored under this prefix, in one folder per project. Leave empty to use the root."
                value={prefix}
                onChange={(event) => setPrefix(event.currentTarget.value)}
              />
            )}
          </>
        )}
        <ProjectsField
          label="Allowed projects"
          description="Projects that may store states in this backend"
          everyLabel="Every project, including future ones"
          value={projects}
          onChange={setProjects}
        />
        {[...listOpenFields(type), ...listSecretFields(type)].map((field) => {
          const isSet = stored.includes(`spec.${field}`);
          const shared = {
            label: nameField(field),
            autoComplete: "off",
            value: credentials[field] ?? "",
            onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
              setCredentials({ ...credentials, [field]: event.currentTarget.value }),
          };
          return listOpenFields(type).includes(field) ? (
            <TextInput key={field} {...shared} />
          ) : (
            <PasswordInput
              key={field}
              {...shared}
              placeholder={isSet ? "stored" : ""}
              description={
                isSet
                  ? "Leave empty to keep the stored value"
                  : "Encrypted and never shown again. If empty, the agent's own environment variables are used."
              }
            />
          );
        })}
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {backend === undefined ? "Create" : "Save"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function readOpen(backend: EntityByKind["Backend"] | undefined): Readonly<Record<string, string>> {
  const spec = (backend?.spec ?? {}) as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(listOpenFields(backend?.spec?.type ?? "").map((field) => [field, spec[field] ?? ""]));
}
