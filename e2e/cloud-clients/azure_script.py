"""Creates, describes, lists and deletes networks, a machine, a cluster and a node pool with Azure's own Python clients.

The environment names the endpoints and the credentials. Pollers poll frequently, because the simulated cloud is fast.
"""

import json
import os
import ssl
import time
import urllib.parse
import urllib.request

from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.network import NetworkManagementClient

endpoint = os.environ["AZURE_RESOURCE_MANAGER_ENDPOINT"]
subscription = os.environ["AZURE_SUBSCRIPTION_ID"]
location = os.environ["AZURE_LOCATION"]
group = os.environ["RESOURCE_GROUP"]
user = "azureuser"


class ClientSecret:
    """Obtains tokens from the login endpoint, as azure-identity does."""

    def get_token(self, *scopes, **_):
        form = {
            "grant_type": "client_credentials",
            "client_id": os.environ["AZURE_CLIENT_ID"],
            "client_secret": os.environ["AZURE_CLIENT_SECRET"],
            "scope": scopes[0],
        }
        url = f"{os.environ['AZURE_AUTHORITY_HOST']}/{os.environ['AZURE_TENANT_ID']}/oauth2/v2.0/token"
        context = ssl.create_default_context(cafile=os.environ["REQUESTS_CA_BUNDLE"])
        with urllib.request.urlopen(url, urllib.parse.urlencode(form).encode(), context=context) as reply:
            issued = json.load(reply)
        return AccessToken(issued["access_token"], int(time.time()) + issued["expires_in"])


def create_credential():
    try:
        from azure.identity import ClientSecretCredential
    except ImportError:
        return ClientSecret()
    assert ClientSecret().get_token(f"{endpoint}/.default").token
    return ClientSecretCredential(
        os.environ["AZURE_TENANT_ID"],
        os.environ["AZURE_CLIENT_ID"],
        os.environ["AZURE_CLIENT_SECRET"],
        authority=os.environ["AZURE_AUTHORITY_HOST"],
        disable_instance_discovery=True,
    )


credential = create_credential()
settings = {"base_url": endpoint, "credential_scopes": [f"{endpoint}/.default"], "polling_interval": 0.2}
compute, containers, networks = (
    client(credential, subscription, **settings)
    for client in (ComputeManagementClient, ContainerServiceClient, NetworkManagementClient)
)

networks.virtual_networks.begin_create_or_update(
    group,
    "net",
    {
        "location": location,
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.1.0.0/16"]},
            "subnets": [{"name": "one", "properties": {"addressPrefix": "10.1.0.0/24"}}],
        },
    },
).result()
subnet = networks.subnets.begin_create_or_update(
    group, "net", "two", {"properties": {"addressPrefix": "10.1.1.0/24"}}
).result()
assert [each.name for each in networks.subnets.list(group, "net")] == ["one", "two"]
assert subnet.address_prefix == "10.1.1.0/24", subnet
firewall = networks.network_security_groups.begin_create_or_update(
    group,
    "rules",
    {
        "location": location,
        "properties": {
            "securityRules": [
                {
                    "name": "ssh",
                    "properties": {
                        "priority": 100,
                        "direction": "Inbound",
                        "access": "Allow",
                        "protocol": "Tcp",
                        "sourceAddressPrefix": "10.0.0.0/8",
                        "sourcePortRange": "*",
                        "destinationAddressPrefix": "*",
                        "destinationPortRange": "22",
                    },
                }
            ]
        },
    },
).result()
assert firewall.security_rules[0].destination_port_range == "22", firewall
address = networks.public_ip_addresses.begin_create_or_update(
    group,
    "address",
    {"location": location, "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}},
).result()
assert address.ip_address and address.provisioning_state == "Succeeded", address
card = networks.network_interfaces.begin_create_or_update(
    group,
    "card",
    {
        "location": location,
        "properties": {
            "networkSecurityGroup": {"id": firewall.id},
            "ipConfigurations": [
                {"name": "main", "properties": {"subnet": {"id": subnet.id}, "publicIPAddress": {"id": address.id}}}
            ],
        },
    },
).result()
assert card.ip_configurations[0].private_ip_address.startswith("10.1.1."), card

machine = compute.virtual_machines.begin_create_or_update(
    group,
    "machine",
    {
        "location": location,
        "tags": {"purpose": "script"},
        "properties": {
            "hardwareProfile": {"vmSize": "Standard_B2ms"},
            "storageProfile": {
                "imageReference": {
                    "publisher": "Canonical",
                    "offer": "ubuntu-24_04-lts",
                    "sku": "server",
                    "version": "latest",
                },
                "osDisk": {"name": "disk", "createOption": "FromImage", "deleteOption": "Delete"},
            },
            "osProfile": {
                "computerName": "machine",
                "adminUsername": user,
                "linuxConfiguration": {
                    "disablePasswordAuthentication": True,
                    "ssh": {
                        "publicKeys": [
                            {"path": f"/home/{user}/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA me@here"}
                        ]
                    },
                },
            },
            "networkProfile": {"networkInterfaces": [{"id": card.id, "properties": {"primary": True}}]},
        },
    },
).result()
assert machine.provisioning_state == "Succeeded" and machine.tags == {"purpose": "script"}, machine
assert [each.name for each in compute.virtual_machines.list(group)] == ["machine"]
assert [each.name for each in compute.virtual_machines.list_all()] == ["machine"]
assert compute.disks.get(group, "disk").managed_by == machine.id
compute.virtual_machines.begin_power_off(group, "machine").result()
compute.virtual_machines.begin_deallocate(group, "machine").result()
view = compute.virtual_machines.instance_view(group, "machine")
assert "PowerState/deallocated" in [status.code for status in view.statuses], view
compute.virtual_machines.begin_start(group, "machine").result()
assert "Standard_D4s_v5" in [size.name for size in compute.virtual_machine_sizes.list(location)]
try:
    networks.network_interfaces.begin_delete(group, "card").result()
    raise SystemExit("deleted the interface of a machine")
except HttpResponseError as error:
    assert error.error.code == "NicInUse", error

created = containers.managed_clusters.begin_create_or_update(
    group,
    "cluster",
    {
        "location": location,
        "identity": {"type": "SystemAssigned"},
        "properties": {
            "kubernetesVersion": "1.33",
            "dnsPrefix": "script",
            "agentPoolProfiles": [{"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}],
        },
    },
).result()
assert created.provisioning_state == "Succeeded" and created.current_kubernetes_version.startswith("1.33."), created
pool = containers.agent_pools.begin_create_or_update(
    group, "cluster", "more", {"properties": {"count": 2, "vmSize": "Standard_D4s_v5", "mode": "User"}}
).result()
assert pool.count == 2, pool
assert {each.name for each in containers.agent_pools.list(group, "cluster")} == {"system", "more"}
assert [each.name for each in containers.managed_clusters.list()] == ["cluster"]
assert containers.managed_clusters.get_upgrade_profile(group, "cluster").control_plane_profile.upgrades
config = containers.managed_clusters.list_cluster_user_credentials(group, "cluster").kubeconfigs[0].value
assert b"current-context" in bytes(config), config
try:
    containers.managed_clusters.get(group, "none")
    raise SystemExit("found a cluster that does not exist")
except ResourceNotFoundError as error:
    assert error.error.code == "ResourceNotFound", error
    assert error.response.headers["x-ms-request-id"]

containers.agent_pools.begin_delete(group, "cluster", "more").result()
containers.managed_clusters.begin_delete(group, "cluster").result()
compute.virtual_machines.begin_delete(group, "machine").result()
networks.network_interfaces.begin_delete(group, "card").result()
networks.public_ip_addresses.begin_delete(group, "address").result()
networks.network_security_groups.begin_delete(group, "rules").result()
networks.virtual_networks.begin_delete(group, "net").result()
print("done")
