type Body = Record<string, unknown>;

/** Answers IAM requests about roles. `roles` is keyed by name; a role's `policies` are ARNs. */
export function findIamAnswer(
  roles: Map<string, Body>,
  { path, body }: { readonly path: string; readonly body: Body },
): Body & { readonly xml?: string } {
  const action = path.slice("iam:".length);
  const name = String(body["RoleName"]);
  const role = roles.get(name);
  if (action === "CreateRole") {
    if (role !== undefined) return { status: 409, code: "EntityAlreadyExists" };
    roles.set(name, { name, policies: [], tags: readTags(body), trust: body["AssumeRolePolicyDocument"] });
    return render(action, renderRole(roles.get(name) as Body));
  }
  if (action === "ListRoles") {
    const members = [...roles.values()].map((each) => `<member>${renderFields(each)}</member>`);
    return render(action, `<Roles>${members.join("")}</Roles><IsTruncated>false</IsTruncated>`);
  }
  if (role === undefined) return { status: 404, code: "NoSuchEntity" };
  const policies = role["policies"] as string[];
  const policy = String(body["PolicyArn"]);
  if (action === "AttachRolePolicy") role["policies"] = [...new Set([...policies, policy])];
  if (action === "DetachRolePolicy") role["policies"] = policies.filter((each) => each !== policy);
  if (action === "ListAttachedRolePolicies") {
    const members = policies.map((arn) => `<member><PolicyArn>${arn}</PolicyArn><PolicyName>p</PolicyName></member>`);
    return render(action, `<AttachedPolicies>${members.join("")}</AttachedPolicies><IsTruncated>false</IsTruncated>`);
  }
  if (action === "DeleteRole") {
    if (policies.length > 0) return { status: 409, code: "DeleteConflict" };
    roles.delete(name);
  }
  return render(action, action === "GetRole" ? renderRole(role) : "");
}

function readTags(body: Body): Record<string, string> {
  const tags: Record<string, string> = {};
  for (let index = 1; body[`Tags.member.${index}.Key`] !== undefined; index += 1)
    tags[String(body[`Tags.member.${index}.Key`])] = String(body[`Tags.member.${index}.Value`]);
  return tags;
}

function renderRole(role: Body): string {
  return `<Role>${renderFields(role)}</Role>`;
}

function renderFields({ name, tags, trust }: Body): string {
  const members = Object.entries(tags as Record<string, string>).map(
    ([key, value]) => `<member><Key>${key}</Key><Value>${value}</Value></member>`,
  );
  const document = `<AssumeRolePolicyDocument>${encodeURIComponent(String(trust))}</AssumeRolePolicyDocument>`;
  const fields = `<RoleName>${String(name)}</RoleName><Arn>arn:aws:iam::123456789012:role/${String(name)}</Arn>`;
  return `${fields}${document}<Tags>${members.join("")}</Tags>`;
}

function render(action: string, result: string): { readonly xml: string } {
  return { xml: `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>` };
}
