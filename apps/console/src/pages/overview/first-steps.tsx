import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";

/** What a project without anything shows: the way from nothing to a cluster. */
export function FirstSteps({ mayCreate }: { readonly mayCreate: boolean }): ReactNode {
  const project = useProject();
  return (
    <Page title="Overview" sub="There is nothing in this project yet">
      <div className="cw-grid">
        <Panel span={7}>
          <Empty
            icon="account"
            title="Begin with an account"
            action={
              mayCreate && (
                <Button component={Link} to={pathOf(project, "new", "account")} leftSection={<Icon name="plus" size={16} />}>
                  Create account
                </Button>
              )
            }
          >
            An account says which cloud is used and how to reach it. A simulated one needs no credentials and bills nothing: the
            same configurations run by the same Terraform, against a cloud that exists in this server alone.
          </Empty>
        </Panel>
        <Panel title="Or by command" span={5}>
          <CodeBlock
            label="From an account to a cluster"
            text={[
              "npx cloud account create sim --cloud aws --simulated",
              "npx cloud network create main --account sim --region eu-west-1",
              "npx cloud cluster create dev --network main --workers 2 --wait",
            ].join("\n")}
          />
        </Panel>
      </div>
    </Page>
  );
}
