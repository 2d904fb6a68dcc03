// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The part of the delegate registry, version 2, that is asked here, by its published interface and its rules: a
/// delegation of all rights (none named) holds for every right, one of all contracts for every key. Without a
/// constructor, so that its code can be put at the registry's address.
contract DelegateRegistry {
    mapping(bytes32 delegation => uint256 amount) private delegations;

    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32) {
        return set(hashOf("all", msg.sender, to, address(0), 0, rights), enable ? 1 : 0);
    }

    function delegateContract(
        address to,
        address contract_,
        bytes32 rights,
        bool enable
    ) external payable returns (bytes32) {
        return set(hashOf("contract", msg.sender, to, contract_, 0, rights), enable ? 1 : 0);
    }

    function delegateERC721(
        address to,
        address contract_,
        uint256 tokenId,
        bytes32 rights,
        bool enable
    ) external payable returns (bytes32) {
        return set(hashOf("erc721", msg.sender, to, contract_, tokenId, rights), enable ? 1 : 0);
    }

    function delegateERC1155(
        address to,
        address contract_,
        uint256 tokenId,
        bytes32 rights,
        uint256 amount
    ) external payable returns (bytes32) {
        return set(hashOf("erc1155", msg.sender, to, contract_, tokenId, rights), amount);
    }

    function checkDelegateForAll(address to, address from, bytes32 rights) public view returns (bool) {
        return find("all", from, to, address(0), 0, rights) > 0;
    }

    function checkDelegateForContract(
        address to,
        address from,
        address contract_,
        bytes32 rights
    ) public view returns (bool) {
        return checkDelegateForAll(to, from, rights) || find("contract", from, to, contract_, 0, rights) > 0;
    }

    function checkDelegateForERC721(
        address to,
        address from,
        address contract_,
        uint256 tokenId,
        bytes32 rights
    ) external view returns (bool) {
        if (checkDelegateForContract(to, from, contract_, rights)) return true;
        return find("erc721", from, to, contract_, tokenId, rights) > 0;
    }

    function checkDelegateForERC1155(
        address to,
        address from,
        address contract_,
        uint256 tokenId,
        bytes32 rights
    ) external view returns (uint256) {
        if (checkDelegateForContract(to, from, contract_, rights)) return type(uint256).max;
        return find("erc1155", from, to, contract_, tokenId, rights);
    }

    /// @dev The greater of what is delegated with all rights and with the right asked for.
    function find(
        string memory sort,
        address from,
        address to,
        address contract_,
        uint256 tokenId,
        bytes32 rights
    ) private view returns (uint256) {
        uint256 ofAll = delegations[hashOf(sort, from, to, contract_, tokenId, "")];
        uint256 ofRight = delegations[hashOf(sort, from, to, contract_, tokenId, rights)];
        return ofAll > ofRight ? ofAll : ofRight;
    }

    function set(bytes32 delegation, uint256 amount) private returns (bytes32) {
        delegations[delegation] = amount;
        return delegation;
    }

    function hashOf(
        string memory sort,
        address from,
        address to,
        address contract_,
        uint256 tokenId,
        bytes32 rights
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(sort, from, to, contract_, tokenId, rights));
    }
}
