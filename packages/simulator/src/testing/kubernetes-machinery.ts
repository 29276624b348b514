import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKubectl, kubectlTool, type Kubectl } from "./kubectl.ts";

/** A cluster under test: an administrator's kubeconfig, and a function that cleans up. */
export interface MachineryTarget {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

const deployment = (
  change = "",
): string => `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"machinery","labels":{"app":"web"}},
"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
"spec":{"containers":[{"name":"app","image":"nginx:1.25","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}${change}]},{"name":"side","image":"side:1"}]}}}}`;

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.org"},
"spec":{"group":"example.org","names":{"kind":"Widget","plural":"widgets","singular":"widget","shortNames":["wd"]},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"}},
"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],
"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["size"],"properties":{
"size":{"type":"integer","minimum":1,"maximum":10,"description":"How many."},"color":{"type":"string","enum":["red","green"],"default":"red"}}},
"status":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}}`;

const widget = (spec: object): string =>
  JSON.stringify({ apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "w", namespace: "machinery" }, spec });

/** Defines the kubectl suite that simulated and real API servers must pass. No command disables kubectl's own validation. */
export function describeMachinery(name: string, skipReason: string | undefined, open: () => Promise<MachineryTarget>): void {
  const why = kubectlTool.found ? skipReason : kubectlTool.reason;
  describe.skipIf(why !== undefined)(`Kubernetes machinery, ${name}${why === undefined ? "" : ` (${why})`}`, () => {
    let target: MachineryTarget;
    let kubectl: Kubectl;
    const refuse = async (command: string, input?: string): Promise<string> => {
      const { code, stderr } = await kubectl.run(command, input);
      expect({ code, stderr }).toMatchObject({ code: 1 });
      return stderr;
    };

    beforeAll(async () => {
      target = await open();
      kubectl = await createKubectl(target.kubeconfig);
      await kubectl.ok("create namespace machinery");
    });
    afterAll(async () => {
      await kubectl?.close();
      await target?.close();
    });

    test("M130 kubectl discovers the served APIs", async () => {
      expect((await kubectl.ok("api-versions")).split("\n")).toEqual(
        expect.arrayContaining(["v1", "apps/v1", "batch/v1", "storage.k8s.io/v1", "rbac.authorization.k8s.io/v1"]),
      );
      expect(await kubectl.ok("api-resources --namespaced=true -o name")).toMatch(/^deployments\.apps$/m);
      expect(await kubectl.ok("get --raw /readyz")).toBe("ok");
      expect(JSON.parse(await kubectl.ok("get --raw /version"))).toMatchObject({ major: "1", platform: "linux/amd64" });
      expect(await kubectl.ok("explain deployment.spec.replicas")).toMatch(/FIELD: replicas <integer>/);
      expect(await kubectl.ok("explain pods --recursive")).toMatch(/imagePullPolicy\s*<string>/);
    });

    test("M130 kubectl apply creates, diffs, updates and prunes according to the last applied configuration", async () => {
      expect(await kubectl.ok("apply --dry-run=server -f -", deployment())).toBe(
        "deployment.apps/web created (server dry run)\n",
      );
      expect(await refuse("get deployment web -n machinery")).toMatch(/NotFound.*deployments\.apps "web" not found/);
      expect(await kubectl.ok("apply -f -", deployment())).toBe("deployment.apps/web created\n");
      expect(await kubectl.ok("apply -f -", deployment())).toBe("deployment.apps/web unchanged\n");
      const changed = deployment(',{"name":"B","value":"2"}').replace("nginx:1.25", "nginx:1.26");
      const diff = await kubectl.run("diff -f -", changed);
      expect(diff.code).toBe(1);
      expect(diff.stdout).toMatch(/^\+ +(- )?image: nginx:1\.26$/m);
      expect(await kubectl.ok("apply -f -", changed)).toBe("deployment.apps/web configured\n");
      const env = "get deployment web -n machinery -o jsonpath={.spec.template.spec.containers[0].env[*].name}";
      expect(await kubectl.ok(env)).toBe("A B");
      await kubectl.ok("apply -f -", deployment());
      expect(await kubectl.ok(env)).toBe("A");
      expect(await kubectl.ok("get deployment web -n machinery -o jsonpath={.metadata.generation}")).toBe("3");
    });

    test("M130 violations of a schema or rule are rejected with the field's name", async () => {
      expect(
        await refuse("create -f -", deployment().replace('"replicas":2', '"replicaz":2').replace('"name":"web"', '"name":"bad"')),
      ).toMatch(/BadRequest.*unknown field "spec\.replicaz"/);
      expect(
        await refuse(
          "create -f -",
          deployment().replace('"replicas":2', '"replicas":"two"').replace('"name":"web"', '"name":"bad"'),
        ),
      ).toMatch(/BadRequest/);
      expect(
        await refuse(
          "create -f -",
          deployment().replace('"image":"side:1"', '"command":["x"]').replace('"name":"web"', '"name":"bad"'),
        ),
      ).toMatch(/spec\.template\.spec\.containers\[1\]\.image: Required value/);
      expect(
        await refuse(
          "create -f -",
          deployment()
            .replace('"matchLabels":{"app":"web"}', '"matchLabels":{"app":"x"}')
            .replace('"name":"web"', '"name":"bad"'),
        ),
      ).toMatch(/`selector` does not match template `labels`/);
      expect(await refuse("create -f -", deployment().replace('"name":"web"', '"name":"Bad_Name"'))).toMatch(
        /metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
      );
      expect(await refuse("apply -f -", deployment().replaceAll('{"app":"web"}', '{"app":"other"}'))).toMatch(
        /spec\.selector: Invalid value: .*field is immutable/,
      );
      expect(await refuse("create -f -", deployment())).toMatch(/AlreadyExists.*deployments\.apps "web" already exists/);
      expect(await refuse("create configmap -n nowhere c --from-literal=a=b")).toMatch(/namespaces "nowhere" not found/);
      expect(await refuse("get pods -n machinery --field-selector=foo=bar")).toMatch(/field label not supported: foo/);
      expect(await refuse("get gadgets")).toMatch(/the server doesn't have a resource type "gadgets"/);
    });

    test("M130 server-side apply tracks field ownership", async () => {
      await kubectl.ok("scale deployment/web -n machinery --replicas=3");
      const conflict = await refuse("apply --server-side --field-manager=team-b -f -", deployment());
      expect(conflict).toMatch(
        /Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps\/v1: \.spec\.replicas/,
      );
      expect(await kubectl.ok("apply --server-side --force-conflicts --field-manager=team-b -f -", deployment())).toBe(
        "deployment.apps/web serverside-applied\n",
      );
      const labelled = deployment().replace('"labels":{"app":"web"}', '"labels":{"app":"web","tier":"front"}');
      await kubectl.ok("apply --server-side --field-manager=team-b -f -", labelled);
      expect(await kubectl.ok("get deployment -n machinery -l tier=front -o name")).toBe("deployment.apps/web\n");
      await kubectl.ok("apply --server-side --field-manager=team-b -f -", deployment());
      expect(await kubectl.ok("get deployment -n machinery -l tier=front -o name")).toBe("");
      const managers = await kubectl.ok(
        "get deployment web -n machinery --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}",
      );
      expect(managers.split(" ")).toContain("team-b");
    });

    test("M130 a patch changes only the named fields", async () => {
      const at = "get deployment web -n machinery -o jsonpath=";
      await kubectl.ok(
        'patch deployment web -n machinery -p {"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:2"}]}}}}',
      );
      expect(await kubectl.ok(`${at}{.spec.template.spec.containers[*].image}`)).toBe("nginx:1.25 side:2");
      await kubectl.ok(
        'patch deployment web -n machinery -p {"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}',
      );
      expect(await kubectl.ok(`${at}{.spec.template.spec.containers[*].name}`)).toBe("app");
      await kubectl.ok('patch deployment web -n machinery --type=json -p [{"op":"replace","path":"/spec/replicas","value":4}]');
      await kubectl.ok('patch deployment web -n machinery --type=merge -p {"metadata":{"annotations":{"note":"n"}}}');
      await kubectl.ok("label deployment web -n machinery color=blue");
      await kubectl.ok("annotate deployment web -n machinery note-");
      expect(await kubectl.ok(`${at}{.spec.replicas}{.metadata.labels.color}{.metadata.annotations.note}`)).toBe("4blue");
      const old = JSON.parse(await kubectl.ok("get deployment web -n machinery -o json"));
      await kubectl.ok("label deployment web -n machinery --overwrite color=red");
      expect(await refuse("replace -f -", JSON.stringify(old))).toMatch(/Conflict.*the object has been modified/);
      await kubectl.ok("set image -n machinery deployment/web app=nginx:1.27");
      expect(await kubectl.ok(`${at}{.spec.template.spec.containers[*].image}`)).toBe("nginx:1.27");
    });

    test("M130 kubectl create creates small kinds, which can be selected and paged", async () => {
      await kubectl.ok("create configmap one -n machinery --from-literal=a=b");
      await kubectl.ok("create secret generic two -n machinery --from-literal=a=b");
      expect(await kubectl.ok("get secret two -n machinery -o jsonpath={.data.a}{.type}")).toBe("Yg==Opaque");
      await kubectl.ok(
        "create -n machinery -f -",
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"gen-","labels":{"made":"up"}}}',
      );
      expect(await kubectl.ok("get configmap -n machinery -l made -o name")).toMatch(/^configmap\/gen-[a-z0-9]{5}\n$/);
      expect(await kubectl.ok("get configmap -n machinery --field-selector=metadata.name=one -o name --chunk-size=1")).toBe(
        "configmap/one\n",
      );
      await kubectl.ok("create role reads -n machinery --verb=get,list --resource=pods");
      await kubectl.ok("create rolebinding reads -n machinery --role=reads --user=ann");
      expect((await kubectl.run("auth can-i list pods -n machinery --as=ann")).stdout).toBe("yes\n");
      expect((await kubectl.run("auth can-i delete pods -n machinery --as=ann")).stdout).toBe("no\n");
      expect(await refuse("get secrets -n machinery --as=ann")).toMatch(
        /Forbidden.*User "ann" cannot list resource "secrets" in API group "" in the namespace "machinery"/,
      );
      expect(await kubectl.ok("auth can-i * *")).toBe("yes\n");
      await kubectl.ok("create job once -n machinery --image=busybox -- true");
      await kubectl.ok("create service clusterip svc -n machinery --tcp=80:8080");
      expect(await kubectl.ok("get service svc -n machinery -o jsonpath={.spec.clusterIP}:{.spec.ports[0].targetPort}")).toMatch(
        /^10\.\d+\.\d+\.\d+:8080$/,
      );
      expect(await kubectl.ok("get service svc -n machinery --no-headers")).toMatch(
        /^svc +ClusterIP +10\.\S+ +<none> +80\/TCP +\d+s/,
      );
      await kubectl.ok("delete configmap -n machinery -l made=up");
      expect(await kubectl.ok("delete configmap one -n machinery")).toMatch(/^configmap "one" deleted/);
      expect(await refuse("delete configmap one -n machinery")).toMatch(/configmaps "one" not found/);
    });

    test("M130 defaults match those of Kubernetes", async () => {
      const made = async (object: object): Promise<any> =>
        JSON.parse(await kubectl.ok("create -n machinery --dry-run=server -o json -f -", JSON.stringify(object)));
      const pod = {
        containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } }],
        volumes: [{ name: "v", configMap: { name: "x" } }],
      };
      const template = { metadata: { labels: { a: "b" } }, spec: pod };
      const selector = { matchLabels: { a: "b" } };
      const deployed = await made({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { selector, template },
      });
      expect(deployed.spec).toEqual({
        progressDeadlineSeconds: 600,
        replicas: 1,
        revisionHistoryLimit: 10,
        selector,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
        template: {
          metadata: expect.objectContaining({ labels: { a: "b" } }),
          spec: {
            containers: [
              {
                name: "c",
                image: "i",
                imagePullPolicy: "Always",
                ports: [{ containerPort: 80, protocol: "TCP" }],
                livenessProbe: {
                  failureThreshold: 3,
                  httpGet: { path: "/", port: 80, scheme: "HTTP" },
                  periodSeconds: 10,
                  successThreshold: 1,
                  timeoutSeconds: 1,
                },
                resources: {},
                terminationMessagePath: "/dev/termination-log",
                terminationMessagePolicy: "File",
              },
            ],
            dnsPolicy: "ClusterFirst",
            restartPolicy: "Always",
            schedulerName: "default-scheduler",
            securityContext: {},
            terminationGracePeriodSeconds: 30,
            volumes: [{ name: "v", configMap: { name: "x", defaultMode: 420 } }],
          },
        },
      });
      const service = await made({ apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
      expect(service).toMatchObject({
        spec: {
          type: "ClusterIP",
          sessionAffinity: "None",
          internalTrafficPolicy: "Cluster",
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
          ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
        },
        status: { loadBalancer: {} },
      });
      const policy = await made({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "n" },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      });
      expect(policy.spec).toEqual({
        podSelector: {},
        ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }],
        policyTypes: ["Ingress"],
      });
      const job = await made({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "j" },
        spec: { template: { spec: { ...pod, restartPolicy: "Never" } } },
      });
      expect(job).toMatchObject({
        metadata: { labels: { "job-name": "j" } },
        spec: { backoffLimit: 6, completionMode: "NonIndexed", completions: 1, parallelism: 1, suspend: false },
      });
      const claim = await made({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "p" },
        spec: { storageClassName: "x", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      expect(claim).toMatchObject({
        metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      });
    });

    test("M130 a finalizer delays the deletion of an object", async () => {
      await kubectl.ok(
        "create -n machinery -f -",
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.org/hold"]}}',
      );
      await kubectl.ok("delete configmap held -n machinery --wait=false");
      expect(await kubectl.ok("get configmap held -n machinery -o jsonpath={.metadata.deletionTimestamp}")).toMatch(/^20/);
      await kubectl.ok('patch configmap held -n machinery --type=merge -p {"metadata":{"finalizers":null}}');
      await kubectl.ok("wait --for=delete configmap/held -n machinery --timeout=30s");
    });

    test("M130 a CustomResourceDefinition adds a kind with schema, defaults, columns and subresources", async () => {
      await kubectl.ok("create -f -", definition);
      await kubectl.ok("wait --for=condition=Established crd/widgets.example.org --timeout=30s");
      await expect.poll(() => kubectl.run("apply -f -", widget({ size: 3 })).then(({ code }) => code)).toBe(0);
      expect(await kubectl.ok("get wd -n machinery")).toMatch(/NAME +SIZE\nw +3\n/);
      expect(await kubectl.ok("get wd w -n machinery -o jsonpath={.spec.color}")).toBe("red");
      expect(await refuse("apply -f -", widget({ size: 3, bad: 1 }))).toMatch(/strict decoding error: unknown field "spec\.bad"/);
      const both = await refuse("apply -f -", widget({ size: 30, color: "blue" }));
      expect(both).toMatch(/spec\.size: Invalid value: 30: spec\.size in body should be less than or equal to 10/);
      expect(both).toMatch(/spec\.color: Unsupported value: "blue": supported values: "red", "green"/);
      expect(await refuse("apply -f -", widget({ size: "three" }))).toMatch(
        /spec\.size in body must be of type integer: "string"/,
      );
      await kubectl.ok("scale widget/w -n machinery --replicas=5");
      await kubectl.ok(
        'patch widget w -n machinery --subresource=status --type=merge -p {"status":{"size":4},"spec":{"size":9}}',
      );
      expect(await kubectl.ok("get widget w -n machinery -o jsonpath={.spec.size}{.status.size}")).toBe("54");
      await expect.poll(() => kubectl.run("explain widget.spec.size").then(({ stdout }) => stdout)).toMatch(/How many\./);
      await kubectl.ok("delete crd widgets.example.org");
      await expect.poll(() => kubectl.run("get --raw /apis/example.org/v1").then(({ code }) => code)).toBe(1);
    });

    test("M130 a watch reports changes", async () => {
      const watch = kubectl.follow(
        'get configmap -n machinery --watch-only --output-watch-events -o jsonpath={.type}:{.object.metadata.name}{"\\n"}',
      );
      // A watch that starts between a creation and a deletion reports only the deletion, so reading continues until both events have
      // appeared.
      const seen: string[] = [];
      const reading = (async () => {
        for await (const line of watch.lines) {
          seen.push(line);
          if (line === "DELETED:seen" && seen.includes("ADDED:seen")) break;
        }
      })();
      await expect
        .poll(async () => {
          await kubectl.run("create configmap seen -n machinery --from-literal=a=b");
          await kubectl.run("delete configmap seen -n machinery");
          return seen.slice(-2);
        })
        .toEqual(["ADDED:seen", "DELETED:seen"]);
      await reading;
      watch.stop();
    });
  });
}
