import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secret } from "@cloudwright/platform";
import { createKubectl, kubectlTool, type Kubectl } from "../testing/kubectl.ts";
import { namesOnly, type CloudHooks } from "./controllers/cloud-hooks.ts";
import { startKubernetesHost, type KubernetesHost } from "./host/start-host.ts";
import { createMemoryObjects } from "./objects/memory-objects.ts";

const web = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"app","image":"nginx:1.25","ports":[{"containerPort":80}]}]}}}},
{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"LoadBalancer","selector":{"app":"web"},"ports":[{"port":80}]}}]}`;
const database = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db"},"spec":{"serviceName":"db","replicas":2,"selector":{"matchLabels":{"app":"db"}},
"template":{"metadata":{"labels":{"app":"db"}},"spec":{"containers":[{"name":"db","image":"postgres:16","volumeMounts":[{"name":"data","mountPath":"/data"}]}]}},
"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}}}}]}}`;

describe.skipIf(!kubectlTool.found)("simulated workloads", () => {
  const inventory = new Set<string>();
  let refusals = 0;
  const hooks: CloudHooks = {
    async createLoadBalancer(cluster, request) {
      if (refusals-- > 0) throw new Error("LoadBalancer quota exceeded");
      inventory.add(`lb ${request.name}`);
      return namesOnly.createLoadBalancer(cluster, request);
    },
    async deleteLoadBalancer() {
      inventory.delete("lb web");
    },
    async createVolume(cluster, request) {
      const made = await namesOnly.createVolume(cluster, request);
      inventory.add(`volume ${made.volumeId} ${request.sizeGiB} ${request.zone}`);
      return made;
    },
    resizeVolume: async () => undefined,
    async deleteVolume(_, volumeId) {
      for (const item of inventory) if (item.includes(volumeId)) inventory.delete(item);
    },
  };
  let host: KubernetesHost;
  let kubectl: Kubectl;

  beforeAll(async () => {
    host = await startKubernetesHost({
      listen: { host: "127.0.0.1", port: 0 },
      store: createMemoryObjects(),
      secret: new Secret("test"),
      timeScale: 0.01,
      hooks,
    });
    await host.createCluster("one", { version: "1.32.4" });
    await host.setNodes("one", [node("a"), node("b")]);
    kubectl = await createKubectl(await host.getKubeconfig("one", "admin"));
  });
  afterAll(async () => {
    await kubectl?.close();
    await host?.close();
  });
  const node = (letter: string) => ({
    name: `node-${letter}`,
    zone: `us-east-1${letter}`,
    instanceType: "t3.large",
    providerId: `aws:///us-east-1${letter}/i-${letter}`,
  });

  test("M243 nodes become ready, and the cluster's system pods run on them", async () => {
    await kubectl.ok("wait --for=condition=Ready node --all --timeout=60s");
    expect(await kubectl.ok("get nodes --no-headers")).toMatch(/^node-a +Ready +<none> +\d+s +v1\.32\.4\nnode-b +Ready/);
    await kubectl.ok("rollout status -n kube-system deployment/coredns --timeout=60s");
    await kubectl.ok("rollout status -n kube-system daemonset/kube-proxy --timeout=60s");
    await kubectl.ok("rollout status -n kube-system daemonset/aws-node --timeout=60s");
    const pods = await kubectl.ok("get pods -A --no-headers -o wide");
    expect(pods.match(/1\/1 +Running/g)).toHaveLength(6);
    expect(await kubectl.ok("get storageclass --no-headers")).toMatch(
      /^gp2 \(default\) +ebs\.csi\.aws\.com +Delete +WaitForFirstConsumer +true/,
    );
    expect(await kubectl.ok("describe node node-a")).toMatch(/ProviderID: +aws:\/\/\/us-east-1a\/i-a/);
    expect(await kubectl.ok("get serviceaccount,configmap -n default -o name")).toBe(
      "serviceaccount/default\nconfigmap/kube-root-ca.crt\n",
    );
  });

  test("M243 a deployment becomes available, rolls out, rolls back and scales", async () => {
    await kubectl.ok("apply -f -", web);
    expect(await kubectl.ok("rollout status deployment/web --timeout=60s")).toMatch(/successfully rolled out/);
    await kubectl.ok("set image deployment/web app=nginx:1.26");
    await kubectl.ok("rollout status deployment/web --timeout=60s");
    expect(await kubectl.ok("get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}")).toMatch(/1\.26/);
    await kubectl.ok("rollout undo deployment/web");
    await kubectl.ok("rollout status deployment/web --timeout=60s");
    expect(await kubectl.ok("rollout history deployment/web")).toMatch(/^2 .*\n3 /m);
    await kubectl.ok("scale deployment/web --replicas=3");
    await kubectl.ok("wait --for=jsonpath={.status.readyReplicas}=3 deployment/web --timeout=60s");
    expect(await kubectl.ok("get deployment web --no-headers")).toMatch(/^web +3\/3 +3 +3/);
    await expect
      .poll(() => kubectl.ok("get endpoints web -o jsonpath={.subsets[0].addresses[*].ip}").then((ips) => ips.split(" ").length))
      .toBe(3);
    expect(await kubectl.ok("logs deployment/web")).toMatch(/simulated: container app/);
    const exec = await kubectl.run("exec deployment/web -- ls");
    expect(exec).toMatchObject({ code: 1 });
    expect(exec.stderr).toMatch(/is simulated: there is no process to exec to/);
    expect(await kubectl.ok("events --for deployment/web")).toMatch(/ScalingReplicaSet/);
  });

  test("M243 a service's load balancer exists in the cloud and is deleted before the service", async () => {
    await kubectl.ok("wait --for=jsonpath={.status.loadBalancer.ingress[0].hostname} service/web --timeout=60s");
    expect(inventory).toContain("lb web");
    await kubectl.ok("delete service web --timeout=60s");
    expect(inventory).not.toContain("lb web");
    refusals = 1;
    await kubectl.ok("apply -f -", web);
    await kubectl.ok("wait --for=jsonpath={.status.loadBalancer.ingress[0].hostname} service/web --timeout=60s");
    expect(await kubectl.ok("get events --field-selector=reason=SyncLoadBalancerFailed -o jsonpath={.items[*].message}")).toMatch(
      /quota exceeded/,
    );
  });

  test("M243 claims of a stateful set get volumes in their node's zone, which are deleted with the claims", async () => {
    await kubectl.ok("apply -f -", database);
    await kubectl.ok("rollout status statefulset/db --timeout=60s");
    expect(await kubectl.ok("get pvc --no-headers")).toMatch(/data-db-0 +Bound +pvc-\S+ +5Gi +RWO +gp2/);
    expect([...inventory].filter((item) => /^volume .* 5 us-east-1[ab]$/.test(item))).toHaveLength(2);
    await kubectl.ok('patch pvc data-db-0 -p {"spec":{"resources":{"requests":{"storage":"9Gi"}}}}');
    await kubectl.ok("wait --for=jsonpath={.status.capacity.storage}=9Gi pvc/data-db-0 --timeout=60s");
    await kubectl.ok("delete pvc data-db-1 --wait=false");
    expect(await kubectl.ok("get pvc data-db-1 --no-headers")).toMatch(/Terminating/);
    await kubectl.ok("delete statefulset db --cascade=foreground --timeout=60s");
    expect(await kubectl.ok("get pods -l app=db -o name")).toBe("");
    await kubectl.ok("wait --for=delete pvc/data-db-1 --timeout=60s");
    await kubectl.ok("delete pvc data-db-0 --timeout=60s");
    await expect.poll(() => [...inventory].filter((item) => item.startsWith("volume"))).toEqual([]);
    expect(await kubectl.ok("get pv -o name")).toBe("");
  });

  test("M243 a job completes, and a pod that cannot start reports why", async () => {
    await kubectl.ok("create job once --image=busybox -- true");
    await kubectl.ok("wait --for=condition=Complete job/once --timeout=60s");
    expect(await kubectl.ok("get job once --no-headers")).toMatch(/^once +Complete +1\/1/);
    await kubectl.ok(
      'run big --image=busybox --overrides={"spec":{"containers":[{"name":"big","image":"b","resources":{"requests":{"cpu":"64"}}}]}}',
    );
    await kubectl.ok("wait --for=jsonpath={.status.conditions[0].reason}=Unschedulable pod/big --timeout=60s");
    expect(await kubectl.ok("events --for pod/big")).toMatch(/0\/2 nodes are available: 2 Insufficient cpu/);
    await kubectl.ok("run broken --image=busybox --annotations=cloudwright.dev/simulated-mishap=CrashLoopBackOff");
    await expect.poll(() => kubectl.ok("get pod broken --no-headers")).toMatch(/0\/1 +CrashLoopBackOff/);
    await kubectl.ok("delete pod big broken --timeout=60s");
  });

  test("M243 a drained node keeps only its daemon pods, and the pods of a removed node are deleted", async () => {
    await kubectl.ok("drain node-a --ignore-daemonsets --force --timeout=60s");
    expect(await kubectl.ok("get nodes --no-headers")).toMatch(/^node-a +Ready,SchedulingDisabled/);
    await kubectl.ok("rollout status deployment/web --timeout=60s");
    expect(await kubectl.ok("get pods --field-selector=spec.nodeName=node-a -o name")).toBe("");
    await kubectl.ok("uncordon node-a");
    await host.setNodes("one", [node("a")]);
    await kubectl.ok("wait --for=delete node/node-b --timeout=60s");
    await expect
      .poll(() => kubectl.ok("get pods -A -o jsonpath={.items[*].spec.nodeName}").then((names) => [...new Set(names.split(" "))]))
      .toEqual(["node-a"]);
    await kubectl.ok("wait --for=condition=Available deployment/web --timeout=60s");
  });

  test("M243 dependents are deleted with their owner or orphaned, as requested", async () => {
    await kubectl.ok("delete deployment web --cascade=orphan");
    expect(await kubectl.ok("get replicaset -l app=web -o name")).not.toBe("");
    await kubectl.ok("apply -f -", web);
    await kubectl.ok("rollout status deployment/web --timeout=60s");
    await kubectl.ok("delete deployment web");
    await kubectl.ok("wait --for=delete pod -l app=web --timeout=60s");
    await kubectl.ok("create namespace full");
    await kubectl.ok("create deployment inside -n full --image=nginx");
    await kubectl.ok("wait -n full --for=condition=Available deployment/inside --timeout=60s");
    await kubectl.ok("delete namespace full --timeout=60s");
    expect((await kubectl.run("get deployment -n full -o name")).stdout).toBe("");
  });

  test("M130 a viewer can read objects but not change them", async () => {
    const viewer = await kubectl.as(await host.getKubeconfig("one", "viewer"));
    expect(await viewer.ok("get nodes -o name")).toBe("node/node-a\n");
    expect(await viewer.ok("get pods -A -o name")).toMatch(/coredns/);
    expect((await viewer.run("auth can-i create pods")).stdout).toBe("no\n");
    expect((await viewer.run("auth can-i list pods")).stdout).toBe("yes\n");
    expect((await viewer.run("get secrets -A")).stderr).toMatch(/Forbidden/);
    expect((await viewer.run("delete node node-a")).stderr).toMatch(/Forbidden.*cannot delete resource "nodes"/);
    await kubectl.ok("create serviceaccount robot");
    await kubectl.ok("create rolebinding robot --clusterrole=view --serviceaccount=default:robot");
    const token = (await kubectl.ok("create token robot")).trim();
    const robot = await kubectl.as((await host.getKubeconfig("one", "admin")).replace(/token: .*/, `token: ${token}`));
    expect((await robot.run("auth can-i list pods")).stdout).toBe("yes\n");
    expect((await robot.run("auth can-i list nodes")).stdout).toBe("no\n");
    await kubectl.ok("delete serviceaccount robot");
    expect((await robot.run("get pods")).stderr).toMatch(/Unauthorized|logged in/);
  });
});
