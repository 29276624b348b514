#!/bin/sh
# Creates, describes, lists and deletes a network, a machine, a volume, a cluster and a node group with the aws CLI. The environment names the endpoint
# and the credentials. Any failure ends the script.
set -eu
export AWS_PAGER=""
trap 'echo "failed after: $step" >&2' EXIT
step=start
aws_text() { step="$*"; aws "$@" --output text; }

trust() { printf '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"%s"},"Action":"sts:AssumeRole"}]}' "$1"; }

vpc=$(aws_text ec2 create-vpc --cidr-block 10.0.0.0/16 --tag-specifications 'ResourceType=vpc,Tags=[{Key=Name,Value=cli}]' --query Vpc.VpcId)
aws ec2 wait vpc-available --vpc-ids "$vpc"
one=$(aws_text ec2 create-subnet --vpc-id "$vpc" --cidr-block 10.0.1.0/24 --availability-zone eu-west-1a --query Subnet.SubnetId)
two=$(aws_text ec2 create-subnet --vpc-id "$vpc" --cidr-block 10.0.2.0/24 --availability-zone eu-west-1b --query Subnet.SubnetId)
test "$(aws_text ec2 describe-subnets --filters "Name=vpc-id,Values=$vpc" --query 'length(Subnets)')" = 2
group=$(aws_text ec2 create-security-group --group-name cli --description cli --vpc-id "$vpc" --query GroupId)
aws_text ec2 authorize-security-group-ingress --group-id "$group" --protocol tcp --port 22 --cidr 10.0.0.0/8 >/dev/null

image=$(aws_text ec2 describe-images --owners 099720109477 --query 'Images[0].ImageId')
machine=$(aws_text ec2 run-instances --image-id "$image" --instance-type t3.micro --subnet-id "$one" --security-group-ids "$group" \
  --user-data 'echo hello' --query 'Instances[0].InstanceId')
aws ec2 wait instance-running --instance-ids "$machine"
aws_text ec2 stop-instances --instance-ids "$machine" >/dev/null
aws ec2 wait instance-stopped --instance-ids "$machine"
aws_text ec2 start-instances --instance-ids "$machine" >/dev/null
aws ec2 wait instance-running --instance-ids "$machine"

volume=$(aws_text ec2 create-volume --availability-zone eu-west-1a --size 1 --volume-type gp3 --encrypted --query VolumeId)
aws ec2 wait volume-available --volume-ids "$volume"
aws_text ec2 attach-volume --volume-id "$volume" --instance-id "$machine" --device /dev/sdf >/dev/null
aws ec2 wait volume-in-use --volume-ids "$volume"
aws_text ec2 modify-volume --volume-id "$volume" --size 2 >/dev/null
test "$(aws_text ec2 describe-volumes-modifications --volume-ids "$volume" --query 'VolumesModifications[0].TargetSize')" = 2
aws_text ec2 detach-volume --volume-id "$volume" >/dev/null
aws ec2 wait volume-available --volume-ids "$volume"
aws_text ec2 delete-volume --volume-id "$volume" >/dev/null
aws ec2 wait volume-deleted --volume-ids "$volume"

trust eks.amazonaws.com >trust.json
role=$(aws_text iam create-role --role-name cli-cluster --assume-role-policy-document file://trust.json --query Role.Arn)
aws_text iam attach-role-policy --role-name cli-cluster --policy-arn arn:aws:iam::aws:policy/AmazonEKSClusterPolicy
trust ec2.amazonaws.com >trust.json
nodes=$(aws_text iam create-role --role-name cli-nodes --assume-role-policy-document file://trust.json --query Role.Arn)
aws_text eks create-cluster --name cli --role-arn "$role" --resources-vpc-config "subnetIds=$one,$two" >/dev/null
aws eks wait cluster-active --name cli
aws_text eks list-clusters --query clusters | grep -q '\bcli\b'
aws_text eks create-nodegroup --cluster-name cli --nodegroup-name one --node-role "$nodes" --subnets "$one" "$two" >/dev/null
aws eks wait nodegroup-active --cluster-name cli --nodegroup-name one
aws eks get-token --cluster-name cli | grep -q k8s-aws-v1

aws_text eks delete-nodegroup --cluster-name cli --nodegroup-name one >/dev/null
aws eks wait nodegroup-deleted --cluster-name cli --nodegroup-name one
aws_text eks delete-cluster --name cli >/dev/null
aws eks wait cluster-deleted --name cli
aws_text iam detach-role-policy --role-name cli-cluster --policy-arn arn:aws:iam::aws:policy/AmazonEKSClusterPolicy
aws_text iam delete-role --role-name cli-cluster
aws_text iam delete-role --role-name cli-nodes
aws_text ec2 terminate-instances --instance-ids "$machine" >/dev/null
aws ec2 wait instance-terminated --instance-ids "$machine"
aws_text ec2 delete-security-group --group-id "$group" >/dev/null
aws_text ec2 delete-subnet --subnet-id "$one"
aws_text ec2 delete-subnet --subnet-id "$two"
aws_text ec2 delete-vpc --vpc-id "$vpc"
trap - EXIT
echo done
