import { Button } from "@mantine/core";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";

/** Shows how to get from an empty project to the first cluster. */
export function FirstSteps({ mayCreate }: { readonly mayCreate: boolean }): ReactNode {
  const project = useProject();
  return (
    <Page title="Overview" sub="This project is empty">
      <div className="cw-grid">
        <Panel span={7}>
          <Empty
            icon="account"
            title="Create an account first"
            action={
              mayCreate && (
                <Button component={Link} to={pathOf(project, "new", "account")} leftSection={<Icon name="plus" size={16} />}>
                  Create account
                </Button>
              )
            }
          >
            An account contains the credentials for a cloud. A simulated account needs no credentials and costs nothing. The
            platform runs the same Terraform configurations against a cloud that exists only inside this server.
          </Empty>
        </Panel>
        <Panel title="Or use the command line" span={5}>
          <CodeBlock
            label="From an account to a cluster"
            text={[
              `npx cloud account create sim --cloud ${defaultCloud} --simulated`,
              `npx cloud network create main --account sim --region ${getCloud(defaultCloud).regions.default}`,
              "npx cloud cluster create dev --network main --workers 2 --wait",
            ].join("\n")}
          />
        </Panel>
      </div>
    </Page>
  );
}
