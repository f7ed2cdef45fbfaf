// A key and certificate for the receivers of tests; not secret. Created with
// `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=receiver.test
//  -addext subjectAltName=DNS:receiver.test,DNS:hooks.slack.com`

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCayQSoDIlHfFGiZ7
1y2Yjc99Y4+fNLW+de/tM8zSySChRANCAARxi/SJr03KNc+ZMvoRvumVOfzity6V
Jsi2JSAZOU/xy/Bj6jQYmBnksJngQ7NCTzcWz9ALjZMmErN9JdTzw/TB
-----END PRIVATE KEY-----
`;

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBsjCCAVigAwIBAgIUHGi7o7dAetuHZrVj52EEDoWwB9IwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjAxNzA2MTRaGA8yMTI2
MTAyNzE3MDYxNFowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABHGL9ImvTco1z5ky+hG+6ZU5/OK3LpUmyLYlIBk5T/HL
8GPqNBiYGeSwmeBDs0JPNxbP0AuNkyYSs30l1PPD9MGjfjB8MB0GA1UdDgQWBBRL
zK7iee9ljvN/a5pmhZdOPAgaAzAfBgNVHSMEGDAWgBRLzK7iee9ljvN/a5pmhZdO
PAgaAzAPBgNVHRMBAf8EBTADAQH/MCkGA1UdEQQiMCCCDXJlY2VpdmVyLnRlc3SC
D2hvb2tzLnNsYWNrLmNvbTAKBggqhkjOPQQDAgNIADBFAiBrH6uPtddMPK0uyTJI
fvtVoQEz3tQu6BlX9YjYFamr6AIhAOKo8bsTALKsvwcJtOsFHV5PyFyJY/djfHrT
p9GlQjEZ
-----END CERTIFICATE-----
`;
