import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderExecKubeconfig, renderTokenKubeconfig } from "./render-kubeconfig.ts";

const connection = { context: 'a: "b"', endpoint: "https://c.example", certificateAuthority: "Q0E=" };

test("M156 a kubeconfig is valid YAML, whatever its values contain", () => {
  const exec = { command: "aws", args: ["eks", "--x", "#not a comment"], environment: { A: "1" }, installHint: "line\nbreak" };
  expect(parse(renderExecKubeconfig(connection, { ...exec, provideClusterInfo: true }))).toEqual({
    apiVersion: "v1",
    kind: "Config",
    "current-context": connection.context,
    clusters: [{ name: connection.context, cluster: { server: "https://c.example", "certificate-authority-data": "Q0E=" } }],
    contexts: [{ name: connection.context, context: { cluster: connection.context, user: connection.context } }],
    users: [
      {
        name: connection.context,
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "aws",
            args: exec.args,
            env: [{ name: "A", value: "1" }],
            interactiveMode: "Never",
            provideClusterInfo: true,
            installHint: "line\nbreak",
          },
        },
      },
    ],
  });
  const withToken = parse(renderTokenKubeconfig(connection, "k8s-aws-v1.x")) as { users: { user: object }[] };
  expect(withToken.users[0]?.user).toEqual({ token: "k8s-aws-v1.x" });
});
