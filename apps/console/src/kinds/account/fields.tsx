import { Stack, Switch } from "@mantine/core";
import { cloudNames, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import type { CredentialValues } from "../../clouds/cloud-view.ts";
import { CredentialFields } from "../../clouds/credential-fields.tsx";
import { startCredentials } from "../../clouds/credentials.ts";
import { findCloudView, withoutOtherClouds } from "../../clouds/registry.ts";
import { Icon } from "../../design/icons.tsx";
import { Note, Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";

export type AccountValues = {
  readonly cloud: CloudName;
  readonly simulated: boolean;
  readonly credentials: CredentialValues;
};

/** Renders the form fields for an account's cloud and credentials. */
export function AccountFields({ draft, set, at }: FieldsProps<AccountValues>): ReactNode {
  const view = findCloudView(draft.cloud);
  const isOwn = getCloud(draft.cloud).isOwn === true;
  return (
    <Panel title="Cloud">
      <Stack gap="md">
        <fieldset className="cw-choice" style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="cw-visually-hidden">Cloud</legend>
          {cloudNames.map((cloud) => {
            const { title, services, isSupported } = getCloud(cloud);
            return (
              <label key={cloud}>
                <input
                  type="radio"
                  name="cloud"
                  className="cw-visually-hidden"
                  checked={cloud === draft.cloud}
                  disabled={!isSupported}
                  onChange={() =>
                    set("spec.cloud", {
                      cloud,
                      credentials: startCredentials(findCloudView(cloud)),
                      ...(getCloud(cloud).isOwn === true ? { simulated: false } : {}),
                      rest: withoutOtherClouds(draft.rest, cloud),
                    })
                  }
                />
                <strong>
                  {findCloudView(cloud) !== undefined && <Icon name={findCloudView(cloud)?.icon ?? "dot"} size={16} />}
                  {title}
                </strong>
                <span className="cw-muted cw-small">{isSupported ? services : "not supported yet"}</span>
              </label>
            );
          })}
        </fieldset>
        {!isOwn && (
          <Switch
            label="Simulated"
            description="Runs the same Terraform configurations against a cloud that exists only inside this server. Nothing is billed and no credentials are needed."
            checked={draft.simulated}
            onChange={(event) => set("spec.simulated", { simulated: event.currentTarget.checked })}
          />
        )}
        {!draft.simulated && (
          <>
            {!isOwn && (
              <Note tone="warn">
                <p>The cloud provider bills you for resources in a real account.</p>
              </Note>
            )}
            {view !== undefined && (
              <CredentialFields
                cloud={draft.cloud}
                view={view}
                values={draft.credentials}
                set={(path, change) => set(path, { credentials: { ...draft.credentials, ...change } })}
                at={at}
              />
            )}
          </>
        )}
      </Stack>
    </Panel>
  );
}
