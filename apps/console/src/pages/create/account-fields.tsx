import { PasswordInput, SegmentedControl, Stack, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Note, Panel } from "../../design/layout.tsx";
import type { Draft } from "./build-entity.ts";
import type { FieldsProps } from "./fields-props.ts";

const clouds = [
  { id: "aws", name: "AWS", hint: "EKS, VPC, S3, EBS", isReady: true },
  { id: "gcp", name: "Google Cloud", hint: "not yet", isReady: false },
  { id: "azure", name: "Azure", hint: "not yet", isReady: false },
  { id: "local", name: "Own machines", hint: "not yet", isReady: false },
];

const reaches: readonly { value: Draft["reach"]; label: string }[] = [
  { value: "agent", label: "Agent's own credentials" },
  { value: "role", label: "Assume a role" },
  { value: "key", label: "Access key" },
];

/** Renders the form fields for the cloud of an account and its credentials. */
export function AccountFields({ draft, set, at }: FieldsProps): ReactNode {
  return (
    <Panel title="Cloud">
      <Stack gap="md">
        <fieldset className="cw-choice" style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="cw-visually-hidden">Cloud</legend>
          {clouds.map(({ id, name, hint, isReady }) => (
            <label key={id}>
              <input
                type="radio"
                name="cloud"
                className="cw-visually-hidden"
                checked={id === "aws"}
                disabled={!isReady}
                readOnly
                onChange={() => undefined}
              />
              <strong>{name}</strong>
              <span className="cw-muted cw-small">{hint}</span>
            </label>
          ))}
        </fieldset>
        <Switch
          label="Simulated"
          description="Uses the same configurations and the same Terraform against a cloud that exists only in this server. Nothing is billed and no credentials are needed."
          checked={draft.simulated}
          onChange={(event) => set("spec.simulated", { simulated: event.currentTarget.checked })}
        />
        {!draft.simulated && (
          <>
            <Note tone="warn">
              <p>The cloud bills you for resources in a real account.</p>
            </Note>
            <div>
              <div style={{ fontSize: 13, fontWeight: 500, marginBottom: 4 }}>Credentials</div>
              <SegmentedControl
                aria-label="Credentials"
                data={reaches as { value: string; label: string }[]}
                value={draft.reach}
                onChange={(reach) => set("spec.aws", { reach: reach as Draft["reach"] })}
              />
            </div>
            <TextInput
              label="Account id"
              description="Twelve digits. Credentials of any other account are rejected."
              value={draft.accountId}
              {...at("spec.aws.accountId")}
              onChange={(event) => set("spec.aws.accountId", { accountId: event.currentTarget.value })}
            />
            {draft.reach === "role" && (
              <TextInput
                label="Role"
                placeholder="arn:aws:iam::123456789012:role/cloudwright"
                value={draft.roleArn}
                {...at("spec.aws.roleArn")}
                onChange={(event) => set("spec.aws.roleArn", { roleArn: event.currentTarget.value })}
              />
            )}
            {draft.reach === "key" && (
              <>
                <TextInput
                  label="Access key id"
                  autoComplete="off"
                  value={draft.accessKeyId}
                  {...at("spec.aws.accessKeyId")}
                  onChange={(event) => set("spec.aws.accessKeyId", { accessKeyId: event.currentTarget.value })}
                />
                <PasswordInput
                  label="Secret access key"
                  description="Encrypted at rest and never shown again"
                  autoComplete="off"
                  value={draft.secretAccessKey}
                  {...at("spec.aws.secretAccessKey")}
                  onChange={(event) => set("spec.aws.secretAccessKey", { secretAccessKey: event.currentTarget.value })}
                />
              </>
            )}
          </>
        )}
      </Stack>
    </Panel>
  );
}
