"""Creates, describes, lists and deletes a network, a machine, a cluster and a node group with boto3.

The environment names the endpoint and the credentials. Waiters poll quickly, because the simulated cloud is fast.
"""

import json

import boto3

ec2, eks, iam, sts = (boto3.client(name) for name in ("ec2", "eks", "iam", "sts"))
quick = {"Delay": 1, "MaxAttempts": 60}


def wait(client, waiter, /, **arguments):
    client.get_waiter(waiter).wait(WaiterConfig=quick, **arguments)


def trust(service):
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


account = sts.get_caller_identity()["Account"]
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
wait(ec2, "vpc_available", VpcIds=[vpc])
subnets = [
    ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=f"eu-west-1{zone}")["Subnet"]["SubnetId"]
    for index, zone in enumerate("ab")
]
found = ec2.get_paginator("describe_subnets").paginate(PaginationConfig={"PageSize": 5}).build_full_result()["Subnets"]
assert {subnet["SubnetId"] for subnet in found} >= set(subnets)
image = sorted(ec2.describe_images(Owners=["136693071363"])["Images"], key=lambda each: each["CreationDate"])[-1]["ImageId"]
run = {"ImageId": image, "InstanceType": "t3.small", "SubnetId": subnets[0], "MinCount": 1, "MaxCount": 1, "ClientToken": "boto3"}
machine = ec2.run_instances(**run)["Instances"][0]["InstanceId"]
assert ec2.run_instances(**run)["Instances"][0]["InstanceId"] == machine
wait(ec2, "instance_running", InstanceIds=[machine])
ec2.stop_instances(InstanceIds=[machine])
wait(ec2, "instance_stopped", InstanceIds=[machine])

roles = {}
for name, service in (("boto3-cluster", "eks.amazonaws.com"), ("boto3-nodes", "ec2.amazonaws.com")):
    roles[name] = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(service))["Role"]
    assert roles[name]["AssumeRolePolicyDocument"]["Statement"][0]["Principal"] == {"Service": service}
created = eks.create_cluster(
    name="boto3", roleArn=roles["boto3-cluster"]["Arn"], version="1.33", resourcesVpcConfig={"subnetIds": subnets}
)["cluster"]
assert created["arn"] == f"arn:aws:eks:eu-west-1:{account}:cluster/boto3", created
wait(eks, "cluster_active", name="boto3")
assert "boto3" in eks.list_clusters()["clusters"]
group = {"clusterName": "boto3", "nodegroupName": "one"}
eks.create_nodegroup(**group, nodeRole=roles["boto3-nodes"]["Arn"], subnets=subnets)
wait(eks, "nodegroup_active", **group)
eks.update_nodegroup_config(**group, scalingConfig={"desiredSize": 1})
wait(eks, "nodegroup_active", **group)
assert eks.describe_nodegroup(**group)["nodegroup"]["scalingConfig"]["desiredSize"] == 1
try:
    eks.describe_cluster(name="none")
except eks.exceptions.ResourceNotFoundException as error:
    assert error.response["ResponseMetadata"]["RequestId"]

eks.delete_nodegroup(**group)
wait(eks, "nodegroup_deleted", **group)
eks.delete_cluster(name="boto3")
wait(eks, "cluster_deleted", name="boto3")
for name in roles:
    iam.delete_role(RoleName=name)
ec2.terminate_instances(InstanceIds=[machine])
wait(ec2, "instance_terminated", InstanceIds=[machine])
for subnet in subnets:
    ec2.delete_subnet(SubnetId=subnet)
ec2.delete_vpc(VpcId=vpc)
print("done")
