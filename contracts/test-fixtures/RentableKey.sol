// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @dev As published in ERC-4907.
interface IERC4907 {
    event UpdateUser(uint256 indexed tokenId, address indexed user, uint64 expires);

    function setUser(uint256 tokenId, address user, uint64 expires) external;

    function userOf(uint256 tokenId) external view returns (address);

    function userExpires(uint256 tokenId) external view returns (uint256);
}

/// @notice A key that its owner may rent out, and that anybody may mint. It goes on naming a user whose time is over, as
/// contracts do that leave the comparison to who asks.
contract RentableKey is ERC721, IERC4907 {
    struct UserInfo {
        address user;
        uint64 expires;
    }

    uint256 public totalSupply;
    mapping(uint256 tokenId => UserInfo) private users;

    constructor() ERC721("Rentable key", "RENT") {}

    function mint() external returns (uint256 tokenId) {
        tokenId = ++totalSupply;
        _mint(msg.sender, tokenId);
    }

    function setUser(uint256 tokenId, address user, uint64 expires) external {
        _checkAuthorized(ownerOf(tokenId), msg.sender, tokenId);
        users[tokenId] = UserInfo(user, expires);
        emit UpdateUser(tokenId, user, expires);
    }

    function userOf(uint256 tokenId) external view returns (address) {
        return users[tokenId].user;
    }

    function userExpires(uint256 tokenId) external view returns (uint256) {
        return users[tokenId].expires;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERC4907).interfaceId || super.supportsInterface(interfaceId);
    }
}
