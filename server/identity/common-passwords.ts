/** The commonest passwords of published breaches, of six characters or more; in lower case. */
const common = new Set(
  `123456 password 12345678 123456789 1234567 1234567890 qwerty 111111 123123 abc123 password1 iloveyou
  000000 qwerty123 1q2w3e4r qwertyuiop 654321 555555 666666 777777 888888 999999 121212 112233 123321 222222
  333333 444444 1234qwer 1qaz2wsx qazwsx zxcvbnm asdfgh asdfghjkl 987654321 87654321 7654321 123654 159753
  princess dragon sunshine monkey football baseball superman batman welcome welcome1 letmein trustno1 master
  shadow michael jordan hunter hunter2 harley ranger buster soccer hockey killer george andrew charlie
  thomas robert daniel jessica jennifer ashley nicole michelle amanda joshua matthew starwars whatever
  freedom flower summer winter secret secret1 passw0rd p@ssw0rd p@ssword password123 password12 passwort
  admin123 admin1 administrator changeme default guest123 test123 testing qwert1 1q2w3e 1q2w3e4r5t a123456
  abcdef abcdefg abcdefgh abcd1234 abc12345 aa123456 qwe123 asd123 zxc123 qweasd qweasdzxc computer internet
  lovely loveme hello123 hellohello maggie pepper ginger cookie cheese banana orange purple yellow silver
  golden pokemon naruto samsung google mustang corvette ferrari mercedes liverpool chelsea arsenal barcelona
  131313 232323 696969 101010 112211 147258 147258369 741852 789456 789456123 963852741 0123456789 11111111
  00000000 88888888 12341234 12344321 11223344 1111111 7777777 q1w2e3r4 q1w2e3 qwer1234 123qwe 123abc`.split(
    /\s+/,
  ),
);

export function isCommonPassword(password: string): boolean {
  return common.has(password.toLowerCase());
}
